"""The steps, in order. New cases, tests and examples come in by themselves: the suites' binaries list their own, examples are what
was packed."""

import importlib.util
import json
import re
import shutil
import sys

from . import photograph
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


def all_steps(setting):
    programs, smoke = setting.pack / "bin", setting.smoke
    yield suite("acceptance cases", [programs / "gpu", *(SMOKE if smoke else skipping(PANICS + OVERLAP))], 150)
    yield suite("panics", [programs / "gpu", *(SMOKE_PANICS if smoke else PANICS)], 60)
    going_on = ["env", "ANABRANCH_FAILED_CHECK=go-on", programs / "gpu", *(SMOKE_PANICS if smoke else PANICS)]
    yield suite("panics, threads go on", going_on, 60)
    dry = "a dry run, in which times mean little" if smoke else None
    yield suite("overlap", [programs / "gpu", *OVERLAP], 60, skip=dry)
    yield suite("meaning", [programs / "meaning", *(SMOKE_MEANING if smoke else [])], 150)
    # A panic of one test must not reach another.
    one_by_one = ["--test-threads", "1"]
    yield suite("traces", [programs / "trace"], 60)
    yield suite("memory of other libraries", [programs / "interop", *one_by_one], 90)
    yield suite("copies between devices", [programs / "devices", *one_by_one], 90)
    yield from the_photograph(setting, programs / "kernels-example")
    for example in sorted((setting.pack / "examples").iterdir()):
        yield Step(f"example {example.name}", light(example, setting) if smoke else [example], 60, last_line)
    yield timings(setting, programs / "gpu_bench")
    for library, module in [("PyTorch", "torch"), ("Quadrants", "quadrants")]:
        yield peers(setting, library, module)
    yield from sanitizers(setting)


def light(example, setting):
    """The command of an example, with less to do where that is to be had."""
    if example.name == "12_poisson":
        return [example, setting.work / "poisson.txt", "65"]
    if example.name not in FILES:
        return [example]
    at = setting.work / f"{example.name}.input"
    at.write_bytes(bytes(range(256)) * (FILES[example.name] // 256))
    return [example, at]


def skipping(topics):
    return [word for topic in topics for word in ("--skip", topic)]


def suite(name, command, limit, skip=None):
    """Tests of a binary of Rust's harness."""
    return Step(name, [*command, "--nocapture"], limit, judge_tests, skip)


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
    # Where there is a device, no test has a reason to.
    skipped = re.findall(r"skipped: .*", output)
    if skipped:
        return f"{len(skipped)} times skipped, as in `{skipped[0]}`", ""
    if not passed:
        return "no test has run", ""
    return None, f"{passed} tests" + (f", {ignored} ignored" if ignored else "")


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

    yield Step("photograph", [program, "--device", "cuda", "-o", at], 60, judge)
    missing = [name for name in ["numpy", "PIL"] if not importlib.util.find_spec(name)]
    skip = f"there is no {' and no '.join(missing)}" if missing else None
    skip = skip or ("a dry run" if setting.smoke else None)
    check = setting.pack / "kernels-example" / "check" / "photo.py"
    yield Step("photograph against numpy", [sys.executable, check, program], 90, last_line, skip)


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

    return Step("timings", [program, "--json", lines, *(["--smoke"] if setting.smoke else [])], 120, judge)


def peers(setting, library, module):
    lines = setting.logs / f"{module}.jsonl"
    lines.unlink(missing_ok=True)
    skip = None if importlib.util.find_spec(module) else f"{library} is not installed"
    skip = skip or ("a dry run" if setting.smoke else None)
    script = setting.pack / "suite" / f"with_{module}.py"
    return Step(f"timings of {library}", [sys.executable, script, lines], 90, last_line, skip)


def sanitizers(setting):
    """Each of the tools over each of the examples; tools at the same time, as nothing here is timed."""
    skip = None if shutil.which("compute-sanitizer") else "compute-sanitizer is not installed"
    if skip:
        yield Step("compute-sanitizer", [], 0, skip=skip)
        return
    for tool in TOOLS:
        for example in sorted((setting.pack / "examples").iterdir()):
            command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "99", *light(example, setting)]
            yield Step(f"{tool} {example.name}", command, 90, judge_sanitizer, lane=tool)


def judge_sanitizer(status, output):
    summary = re.findall(r"========= (.*SUMMARY: .*)", output)
    errors = re.findall(r"========= ((?!COMPUTE-SANITIZER|.*SUMMARY: ).*\S)", output)
    if status != 0:
        return f"exit status {status}: {errors[0] if errors else (summary or ['without a summary'])[-1]}", ""
    if not summary or not re.search(r"SUMMARY: 0 (errors|hazards)\b", summary[-1]):
        return f"the summary is `{(summary or ['missing'])[-1]}`", ""
    return None, summary[-1]
