"""What the suite runs on, and what it runs."""

import ctypes
import json
import os
import platform
import shutil
import subprocess
from pathlib import Path

# What changes how AMD's runtime works: fewer queues, no overlap, other numbers of devices.
OF_HIP = [
    "GPU_MAX_HW_QUEUES",
    "AMD_SERIALIZE_KERNEL",
    "HIP_LAUNCH_BLOCKING",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "HIPRTC_COMPILE_OPTIONS_APPEND",
    "HIPRTC_LINK_OPTIONS_APPEND",
]


def pack(folder):
    """What `pack` has written down."""
    return json.loads((folder / "pack.json").read_text())


def machine():
    """Name and value of what can be found out here."""
    facts = {"system": platform.platform(), "C library": " ".join(platform.libc_ver()), "cores": str(os.cpu_count())}
    if platform_of_gpu() == "hip":
        facts["ROCm"] = rocm()
        facts.update({name: os.environ[name] for name in OF_HIP if name in os.environ})
        return facts
    facts.update(gpu() or {"nvidia-smi": "not there"})
    facts["compute-sanitizer"] = first_line("compute-sanitizer", "--version") or "not there"
    return facts


def platform_of_gpu():
    """That of ANABRANCH_DEVICE, or else of the first driver that is there: `cuda` or `hip`."""
    chosen = os.environ.get("ANABRANCH_DEVICE", "").split(":")[0]
    if chosen in ("cuda", "hip"):
        return chosen
    drivers = {"cuda": ["libcuda.so.1"], "hip": ["libamdhip64.so.7", "libamdhip64.so.6", "/opt/rocm/lib/libamdhip64.so"]}
    return next((name for name, files in drivers.items() if any(map(loads, files))), "cuda")


def loads(library):
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def rocm():
    root = Path(os.environ.get("ROCM_PATH", "/opt/rocm"))
    versions = [file.read_text().strip() for file in [root / ".info" / "version"] if file.exists()]
    return versions[0] if versions else f"unknown: there is no {root}/.info/version"


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
