"""What the scripts of the other libraries share: rounds in turns, their medians, and a line of JSON a figure."""

import json
import statistics
import sys
import time

ROUNDS = 41
GROUPS = [1, 2, 4, 8, 16]


def name(groups):
    return "1 group" if groups == 1 else f"{groups} groups"


def clocked(run):
    """Seconds that a call takes."""
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


class Figures:
    """A file of figures, as `gpu_bench` writes them."""

    def __init__(self):
        self.file = open(sys.argv[1], "w", buffering=1)
        self.count = 0

    def machine(self, **facts):
        self.file.write(json.dumps({"machine": facts}) + "\n")

    def figure(self, section, name, metric, who, seconds, peer=None, peer_seconds=None, runs=1):
        """Times of all rounds, in the same order for both sides."""
        line = {"section": section, "name": name, "metric": metric, "who": who, "seconds": statistics.median(seconds),
                "rounds": len(seconds), "runs": runs}
        if peer:
            low, ratio, high = statistics.quantiles([ours / max(theirs, 1e-9) for ours, theirs in zip(seconds, peer_seconds)], n=4)
            line.update(peer=peer, peer_seconds=statistics.median(peer_seconds), ratio=ratio, low=low, high=high)
        self.file.write(json.dumps(line) + "\n")
        self.count += 1

    def end(self):
        print(f"{self.count} figures")
