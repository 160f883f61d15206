"""What the suite runs on, and what it runs."""

import json
import os
import platform
import shutil
import subprocess


def pack(folder):
    """What `pack` has written down."""
    return json.loads((folder / "pack.json").read_text())


def machine():
    """Name and value of what can be found out here."""
    facts = {"system": platform.platform(), "C library": " ".join(platform.libc_ver()), "cores": str(os.cpu_count())}
    facts.update(gpu() or {"nvidia-smi": "not there"})
    facts["compute-sanitizer"] = first_line("compute-sanitizer", "--version") or "not there"
    return facts


def gpu():
    query = ["name", "driver_version", "memory.total", "power.limit", "clocks.max.sm", "clocks.max.memory", "mig.mode.current"]
    line = first_line("nvidia-smi", f"--query-gpu={','.join(query)}", "--format=csv,noheader")
    return dict(zip(query, (value.strip() for value in line.split(",")))) if line else None


def first_line(program, *arguments):
    if not shutil.which(program):
        return None
    try:
        done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    return lines[0].strip() if done.returncode == 0 and lines else None
