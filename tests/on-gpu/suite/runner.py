"""Steps, and how they are run: each with a time limit of its own, in a session of its own."""

import itertools
import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, List, Optional


@dataclass
class Setting:
    """What all steps share."""

    pack: Path
    work: Path
    logs: Path
    environment: dict
    # `cuda` or `hip`.
    platform: str
    smoke: bool
    # Seconds for any of them.
    limit: float
    # By the monotonic clock.
    end: float


@dataclass
class Step:
    """A command with a verdict. `judge` gets the exit status and the output, and returns (why it has failed or None, a remark)."""

    name: str
    command: List[str]
    limit: float
    judge: Callable = None
    # Why it cannot run here.
    skip: Optional[str] = None
    environment: dict = field(default_factory=dict)
    # Steps of one lane, one behind the other, run at the same time.
    lane: Optional[str] = None


@dataclass
class Result:
    name: str
    outcome: str
    seconds: float = 0.0
    # Why it has failed, or was skipped.
    why: str = ""
    # What a passed step has to say.
    remark: str = ""


def by_status(status, output):
    """The exit status alone, told with the last words."""
    if status == 0:
        return None, ""
    words = [line for line in output.strip().splitlines() if line.strip()]
    return f"exit status {status}: {words[-1] if words else 'without a word'}", ""


def run(step, setting):
    """The result of one step; never raises."""
    if step.skip:
        return told(Result(step.name, "skipped", why=step.skip))
    left = setting.end - time.monotonic()
    if left <= 0:
        return told(Result(step.name, "failed", why="the time of the suite is used up"))
    limit = min(step.limit, setting.limit, left)
    log = setting.logs / (step.name.replace(" ", "-").replace("/", "-") + ".log")
    begin = time.monotonic()
    result = Result(step.name, "failed")
    try:
        with open(log, "wb") as file:
            status = execute(step, setting, file, limit)
        output = log.read_text(errors="replace")
        if status is None:
            result.why = f"stopped after {limit:.0f} s, which is its limit"
        else:
            why, result.remark = (step.judge or by_status)(status, output)
            result.outcome, result.why = ("failed", why) if why else ("passed", "")
    except Exception as error:  # the next step is to run whatever has happened to this one
        result.why = f"{type(error).__name__}: {error}"
    result.seconds = round(time.monotonic() - begin, 2)
    return told(result)


def execute(step, setting, file, limit):
    """The exit status; None where the time was up, with all that the command has started stopped."""
    process = subprocess.Popen(
        [str(word) for word in step.command],
        cwd=setting.work,
        env={**setting.environment, **step.environment},
        stdin=subprocess.DEVNULL,
        stdout=file,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)  # the session that was begun for it
            process.wait()


def told(result):
    words = {"passed": result.remark, "failed": result.why, "skipped": result.why}[result.outcome]
    line = f"{result.outcome:<8} {result.seconds:>6.1f} s  {result.name}{': ' + words if words else ''}\n"
    print(line, end="", flush=True)  # at once: other lanes print, too
    return result


def run_all(steps, setting):
    """In order; neighbours with lanes together, each lane in order and as many lanes at the same time as there are cores."""
    results = {}
    for in_lanes, together in itertools.groupby(steps, key=lambda step: step.lane is not None):
        together = list(together)
        lanes = {}
        for step in together:
            lanes.setdefault(step.lane if in_lanes else step.name, []).append(step)
        with ThreadPoolExecutor(os.cpu_count() or 1 if in_lanes else 1) as pool:
            for done in pool.map(lambda lane: [run(step, setting) for step in lane], lanes.values()):
                results.update({result.name: result for result in done})
    return [results[step.name] for step in steps]
