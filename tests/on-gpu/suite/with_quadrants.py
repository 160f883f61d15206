"""Quadrants' `stream_parallel` on the same GPU: a fork and a join around tiny loops, and groups next to the same loops in series.

    with_quadrants.py FIGURES.jsonl [--cpu]

With --cpu on Quadrants' CPU backend, where streams do nothing: that this script works, not how fast it is.
"""

import importlib.util
import sys
import tempfile
from pathlib import Path

import quadrants as qd

from peers import GROUPS, ROUNDS, Figures, clocked, name

ELEMENTS = 64
RUNS = 20


def loop(group, indent):
    return [
        f"{indent}for i in range({ELEMENTS}):",
        f"{indent}    s = x{group}[i]",
        f"{indent}    for _ in range(steps):",
        f"{indent}        s = s * 1664525 + 1013904223",
        f"{indent}    x{group}[i] = s",
    ]


def source():
    """A module of kernels: Quadrants reads the text of a kernel from its file."""
    text = ["import quadrants as qd"]
    text += [f"x{group} = qd.field(qd.u32, shape=({ELEMENTS},))" for group in range(max(GROUPS))]
    for groups in GROUPS:
        text += ["@qd.kernel", f"def groups_{groups}(steps: qd.i32):"]
        for group in range(groups):
            text += ["    with qd.stream_parallel():", *loop(group, "        ")]
        text += ["@qd.kernel", f"def series_{groups}(steps: qd.i32):"]
        for group in range(groups):
            text += loop(group, "    ")
    return "\n".join(text) + "\n"


def load(folder):
    path = Path(folder) / "kernels.py"
    path.write_text(source())
    spec = importlib.util.spec_from_file_location("kernels", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def times(run, runs):
    """Of a run: of the host, which waits for groups, and of one alone until it is done."""
    host = clocked(lambda: [run() for _ in range(runs)])
    qd.sync()
    return host / runs, clocked(lambda: (run(), qd.sync()))


def main():
    cpu = "--cpu" in sys.argv[2:]
    qd.init(arch=qd.cpu if cpu else qd.cuda, log_level=qd.WARN)
    if not cpu and qd.lang.impl.current_cfg().arch != qd.cuda:
        sys.exit("error: Quadrants has not taken the GPU")
    figures = Figures()
    figures.machine(Quadrants=".".join(map(str, qd.__version__)) + (", on the CPU" if cpu else ""))
    with tempfile.TemporaryDirectory() as folder:
        kernels = load(folder)
        for groups in GROUPS:
            fork, series = getattr(kernels, f"groups_{groups}"), getattr(kernels, f"series_{groups}")
            fork(1), series(1), qd.sync()
            measured = [times(lambda: fork(1), RUNS) for _ in range(ROUNDS)]
            for metric, seconds in zip(["host", "done"], zip(*measured)):
                figures.figure("a fork and a join", name(groups), metric, "Quadrants stream_parallel", seconds, runs=RUNS)
            steps = 10 if cpu else 20_000
            rounds = [(times(lambda: fork(steps), 5), times(lambda: series(steps), 5)) for _ in range(ROUNDS)]
            figures.figure("independent groups", name(groups), "done", "Quadrants stream_parallel", [ours[1] for ours, _ in rounds],
                           "Quadrants in series", [theirs[1] for _, theirs in rounds])
    figures.end()


if __name__ == "__main__":
    main()
