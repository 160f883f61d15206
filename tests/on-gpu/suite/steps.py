"""The steps, in order. New cases, tests and examples come in by themselves: the suites' binaries list their own, examples are what
was packed."""

import heapq
import importlib.util
import json
import os
import re
import shutil
import sys
from collections import Counter

from . import machine, photograph
from .runner import Step, by_status

# Tests of the GPU suite with a step of their own, by topic.
PANICS = ["panics::", "failures::"]
OVERLAP = ["overlap::"]
# A dry run takes some topics: CI runs all of them beside it.
SMOKE = ["benchmarks::", "groups::step", "streams::halves", "ranges::stepped"]
SMOKE_PANICS = ["failures::a_bad_index", "failures::a_panic_in_one_group"]
SMOKE_MEANING = ["of_bool", "to_u8"]
# Examples that read a file: its bytes where less is enough, some chunks of 8 MiB and a part of one.
FILES = {"04_pipeline": (20 << 20) + 768}
TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
# Why a test may skip where there is a device.
MAY_LACK = ["one CUDA device", "not on the stand-in for the CUDA driver", "not on the stand-in for a driver", "not on the stand-in for NVRTC"]
CORES = os.cpu_count() or 1
# The processes that share the cases: most of their time is NVRTC's, on one core each.
PROCESSES = 8


def all_steps(setting):
    """First what computes, at the same time; then what is timed, alone; then the sanitizers."""
    yield from suites(setting, setting.pack / "bin")
    for programs in sorted((setting.pack / "programs").glob("*"))[: 1 if setting.smoke else None]:
        # Plain Rust rounds twice.
        command = ["env", "ANABRANCH_CONTRACT=off", programs, setting.platform, "0"]
        yield Step(f"random programs {programs.name}", command, 150, judge_programs, lane=programs.name)
    yield from the_photograph(setting, setting.pack / "bin" / "kernels-example")
    for example in sorted((setting.pack / "examples").iterdir()):
        yield Step(f"example {example.name}", light(example, setting) if setting.smoke else [example], 60, last_line, lane="examples")
    dry = "a dry run, in which times mean little" if setting.smoke else None
    yield suite("overlap", [setting.pack / "bin" / "gpu", *OVERLAP], 60, skip=dry)
    yield timings(setting, setting.pack / "bin" / "gpu_bench")
    for library, module in [("PyTorch", "torch"), ("Quadrants", "quadrants")]:
        yield peers(setting, library, module)
    yield from sanitizers(setting)


def suites(setting, programs):
    smoke = setting.smoke
    for at, topics in enumerate([SMOKE] if smoke else shares(machine.pack(setting.pack)["cases"]), 1):
        yield suite(f"cases {at}", [programs / "gpu", *topics], 150, lane=f"cases {at}")
    panics = [programs / "gpu", *(SMOKE_PANICS if smoke else PANICS)]
    yield suite("panics", panics, 60, lane="panics")
    yield suite("panics, threads go on", ["env", "ANABRANCH_FAILED_CHECK=go-on", *panics], 60, lane="panics that go on")
    yield suite("meaning", [programs / "meaning", *(SMOKE_MEANING if smoke else [])], 150, lane="meaning", threads=CORES)
    yield suite("traces", [programs / "trace"], 60, lane="traces")
    yield suite("memory of other libraries", [programs / "interop"], 90, skip=of_cuda(setting), lane="other libraries")
    yield suite("copies between devices", [programs / "devices"], 90, lane="devices")


def of_cuda(setting):
    """Why a step that calls CUDA itself is skipped."""
    return None if setting.platform == "cuda" else "it calls the CUDA driver itself"


def shares(cases):
    """The topics of the cases, as filters: a list for each process, with about as many cases."""
    sizes = Counter(re.sub("(?<=::).*", "", case) for case in cases)
    shares = [(0, at, []) for at in range(PROCESSES)]
    for topic, size in sizes.most_common():
        if topic not in PANICS + OVERLAP:
            count, at, topics = heapq.heappop(shares)
            heapq.heappush(shares, (count + size, at, [*topics, topic]))
    return [topics for _, _, topics in sorted(shares, key=lambda share: share[1]) if topics]


def light(example, setting):
    """The command of an example, with less to do where that is to be had."""
    if example.name == "05_graph":
        return [example, "4"]
    if example.name == "12_poisson":
        return [example, setting.work / "poisson.txt", "65"]
    if example.name not in FILES:
        return [example]
    at = setting.work / f"{example.name}.input"
    at.write_bytes(bytes(range(256)) * (FILES[example.name] // 256))
    return [example, at]


def suite(name, command, limit, skip=None, lane=None, threads=1):
    """Tests of a binary of Rust's harness. One by one, a panic of one does not reach another, and a log ends with the one that hangs."""
    return Step(name, [*command, "--nocapture", "--test-threads", threads], limit, judge_tests, skip, lane=lane)


def judge_tests(status, output):
    results = re.findall(r"^test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored;", output, re.M)
    if not results:
        return f"exit status {status}, and the harness has not come to its end", ""
    # Those before are of processes that tests have started.
    passed, failed, ignored = (int(number) for number in results[-1])
    if failed:
        names = re.findall(r"^    (\S+)$", output.rsplit("\nfailures:\n", 1)[-1], re.M)
        return f"{failed} of {passed + failed} tests fail: {', '.join(names)}", ""
    if status != 0:
        return f"all tests pass, and the exit status is {status}", ""
    skipped = re.findall(r"skipped: (.*)", output)
    wrong = [why for why in skipped if why not in MAY_LACK]
    if wrong:
        return f"{len(wrong)} times skipped, as in `skipped: {wrong[0]}`", ""
    if passed == len(skipped):
        return "no test has run", ""
    told = [f"{passed - len(skipped)} tests", *(f"{count} skipped: {why}" for why, count in Counter(skipped).items())]
    return None, ", ".join(told + [f"{ignored} ignored"] * bool(ignored))


def judge_programs(status, output):
    """The fuzzer's programs, each next to itself in plain Rust."""
    begun = re.findall(r"^start (\d+)$", output, re.M)
    differ = re.findall(r"^differs (\d+) (.*)$", output, re.M)
    if differ:
        return f"{len(differ)} of {len(begun)} programs differ: program {differ[0][0]}: {differ[0][1]}", ""
    if status != 0:
        return f"exit status {status}, in program {begun[-1] if begun else 'none'}", ""
    same = re.findall(r"^same ", output, re.M)
    return (None, f"{len(same)} programs") if same else ("no program has run", "")


def last_line(status, output):
    """What an example says last."""
    why, _ = by_status(status, output)
    words = output.strip().splitlines()
    return why, "" if why or not words else words[-1].strip()


def the_photograph(setting, program):
    at, reference = setting.work / "photo.pam", setting.pack / "reference" / "photo.pam"

    def judge(status, output):
        why, _ = by_status(status, output)
        return (why, "") if why else photograph.compare(at, reference)

    yield Step("photograph", [program, "--device", setting.platform, "-o", at], 60, judge, lane="photograph")
    missing = [name for name in ["numpy", "PIL"] if not importlib.util.find_spec(name)]
    skip = f"there is no {' and no '.join(missing)}" if missing else None
    skip = skip or ("a dry run" if setting.smoke else None)
    check = setting.pack / "kernels-example" / "check" / "photo.py"
    yield Step("photograph against numpy", [sys.executable, check, program], 90, last_line, skip, lane="photograph")


def figures(path):
    """Objects of a file with a line of JSON each."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def timings(setting, program):
    lines = setting.logs / "timings.jsonl"
    lines.unlink(missing_ok=True)

    def judge(status, output):
        wrong = [line["wrong"] for line in figures(lines) if "wrong" in line]
        why, _ = by_status(status, output)
        count = sum("seconds" in line for line in figures(lines))
        if wrong:
            return f"{len(wrong)} results differ from the peer's: {wrong[0]}", ""
        return why, f"{count} figures" if count else ""

    command = [program, "--json", lines, *(["--smoke"] if setting.smoke else [])]
    return Step("timings", command, 120, judge, of_cuda(setting))


def peers(setting, library, module):
    lines = setting.logs / f"{module}.jsonl"
    lines.unlink(missing_ok=True)
    skip = None if importlib.util.find_spec(module) else f"{library} is not installed"
    skip = skip or ("a dry run" if setting.smoke else None)
    script = setting.pack / "suite" / f"with_{module}.py"
    return Step(f"timings of {library}", [sys.executable, script, lines], 90, last_line, skip)


def sanitizers(setting):
    """Each of the tools over each of the examples."""
    skip = None if shutil.which("compute-sanitizer") else "compute-sanitizer is not installed"
    if skip:
        yield Step("compute-sanitizer", [], 0, skip=skip)
        return
    for tool in TOOLS:
        for example in sorted((setting.pack / "examples").iterdir()):
            command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "99", *light(example, setting)]
            yield Step(f"{tool} {example.name}", command, 200, judge_sanitizer, lane=f"{tool} {example.name}")


def judge_sanitizer(status, output):
    summary = re.findall(r"========= (.*SUMMARY: .*)", output)
    errors = re.findall(r"========= ((?!COMPUTE-SANITIZER|.*SUMMARY: ).*\S)", output)
    if status != 0:
        return f"exit status {status}: {errors[0] if errors else (summary or ['without a summary'])[-1]}", ""
    if not summary or not re.search(r"SUMMARY: 0 (errors|hazards)\b", summary[-1]):
        return f"the summary is `{(summary or ['missing'])[-1]}`", ""
    return None, summary[-1]
