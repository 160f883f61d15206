"""PyTorch's streams on the same GPU: a fork and a join around tiny operations, and groups next to the same in series.

    with_torch.py FIGURES.jsonl
"""

import torch

from peers import GROUPS, ROUNDS, Figures, clocked, name

RUNS = 20
# A loop of gpu_bench's keeps a multiprocessor busy for about as long.
CYCLES = 80_000


class Forks:
    """Streams and events as a program in steady state has them."""

    def __init__(self, groups):
        self.parent = torch.cuda.Stream()
        self.streams = [torch.cuda.Stream() for _ in range(groups)]
        self.begun = torch.cuda.Event()
        self.done = [torch.cuda.Event() for _ in range(groups)]

    def fork(self, work):
        self.begun.record(self.parent)
        for group, (stream, done) in enumerate(zip(self.streams, self.done)):
            stream.wait_event(self.begun)
            with torch.cuda.stream(stream):
                work(group)
            done.record(stream)
        for done in self.done:
            self.parent.wait_event(done)

    def series(self, work):
        with torch.cuda.stream(self.parent):
            for group in range(len(self.streams)):
                work(group)


def times(parent, run, runs):
    """Of a run: on the device, of the host, and of one alone until it is done."""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record(parent)
    host = clocked(lambda: [run() for _ in range(runs)])
    end.record(parent)
    end.synchronize()
    done = clocked(lambda: (run(), parent.synchronize()))
    return start.elapsed_time(end) / 1e3 / runs, host / runs, done


def main():
    figures = Figures()
    figures.machine(PyTorch=f"{torch.__version__}, CUDA {torch.version.cuda}")
    n = 1 << 26
    x, y = torch.rand(n, device="cuda"), torch.rand(n, device="cuda")
    stream = torch.cuda.current_stream()
    saxpy = lambda: y.add_(x, alpha=0.5)
    saxpy()
    measured = [times(stream, saxpy, RUNS) for _ in range(ROUNDS)]
    figures.figure("kernels bound by memory", "saxpy of 2^26 elements", "device", "PyTorch", [device for device, _, _ in measured], runs=RUNS)
    for groups in GROUPS:
        forks = Forks(groups)
        tensors = [torch.zeros(64, dtype=torch.int32, device="cuda") for _ in range(groups)]
        torch.cuda.synchronize()
        tiny = lambda group: tensors[group].add_(1)
        forks.fork(tiny)
        measured = [times(forks.parent, lambda: forks.fork(tiny), RUNS) for _ in range(ROUNDS)]
        for metric, seconds in zip(["device", "host", "done"], zip(*measured)):
            figures.figure("a fork and a join", name(groups), metric, "PyTorch streams", seconds, runs=RUNS)
        # One run before, and one alone in each round.
        torch.cuda.synchronize()
        assert all(tensor.eq(1 + ROUNDS * (RUNS + 1)).all() for tensor in tensors), "PyTorch has lost a run"
        busy = lambda group: torch.cuda._sleep(CYCLES)
        rounds = [(times(forks.parent, lambda: forks.fork(busy), 5), times(forks.parent, lambda: forks.series(busy), 5)) for _ in range(ROUNDS)]
        for metric, at in [("device", 0), ("done", 2)]:
            figures.figure("independent groups", name(groups), metric, "PyTorch streams", [ours[at] for ours, _ in rounds],
                           "PyTorch in series", [theirs[at] for _, theirs in rounds], runs=5)
    figures.end()


if __name__ == "__main__":
    main()
