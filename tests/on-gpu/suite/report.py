"""The report: JSON, and a page that is made of it."""

import json
import re
from dataclasses import asdict

from .steps import figures


def write(out, facts, results):
    """Writes both files and returns the path of the page."""
    lines = [line for path in sorted((out / "logs").glob("*.jsonl")) for line in figures(path)]
    device = {}
    for line in lines:
        device.update(line.get("machine", {}))
    report = {
        **facts,
        "device": device,
        "outcome": "failed" if any(result.outcome == "failed" for result in results) else "passed",
        "steps": [asdict(result) for result in results],
        "figures": [line for line in lines if "seconds" in line],
        "wrong": [line["wrong"] for line in lines if "wrong" in line],
    }
    stem = f"{facts['date'][:10]}-{re.sub('[^a-z0-9]+', '-', gpu(report).lower()).strip('-')}"
    (out / f"{stem}.json").write_text(json.dumps(report, indent=1) + "\n")
    (out / f"{stem}.md").write_text(page(report))
    return out / f"{stem}.md"


def gpu(report):
    """Its name, as the driver or as the library says it."""
    named = re.search(r"\((.*), [^,]+\)", report["device"].get("device", ""))
    return report["machine"].get("name") or (named[1] if named else "unknown")


def page(report):
    text = [f"# The GPU suite on {gpu(report)}", ""]
    if report["smoke"]:
        text += ["**A dry run: it shows that the suite works. Its figures say nothing.**", ""]
    counts = {outcome: sum(step["outcome"] == outcome for step in report["steps"]) for outcome in ["passed", "failed", "skipped"]}
    text += [f"{counts['passed']} steps passed, {counts['failed']} failed, {counts['skipped']} skipped, in {report['seconds']:.0f} s, "
             f"on {report['date']}.", ""]
    text += table(["", ""], [[name, value] for name, value in machine(report)])
    text += ["## Steps", ""]
    rows = [[step["name"], step["outcome"].upper() if step["outcome"] == "failed" else step["outcome"],
             f"{step['seconds']:.1f} s" if step["outcome"] != "skipped" else "", step["why"] or step["remark"]]
            for step in report["steps"]]
    text += table(["step", "", "time", ""], rows)
    text += ["## Times", "", "Medians of rounds in which both sides take turns. A ratio is that of the times of a round, ours by the peer's: "
             "below 1 ours is faster; its quartiles are in parentheses. **device**: on the device, of runs in a queue; **host**: until the host "
             "has queued one; **done**: of one alone, until the host knows that it is done.", ""]
    for section in dict.fromkeys(figure["section"] for figure in report["figures"]):
        rows = [figure for figure in report["figures"] if figure["section"] == section]
        # What others need for the same stands below it.
        names = list(dict.fromkeys(figure["name"] for figure in rows))
        rows.sort(key=lambda figure: names.index(figure["name"]))
        text += [f"### {section[0].upper()}{section[1:]}", ""]
        text += table(["", "time", "whose", "", "next to", "", "ratio", "rate"], [row(figure) for figure in rows])
    return "\n".join(text)


def machine(report):
    pack = report["pack"]
    yield from report["device"].items()
    yield from report["machine"].items()
    yield from [("commit", pack["commit"]), ("built with", f"{pack['rustc']}, {pack['profile']}"), ("packed", pack["packed"])]


def row(figure):
    with_peer = "peer" in figure
    ratio = f"{figure['ratio']:.3f} ({figure['low']:.3f} to {figure['high']:.3f})" if with_peer else ""
    return [figure["name"], figure["metric"], figure["who"], time(figure["seconds"]), figure.get("peer", ""),
            time(figure["peer_seconds"]) if with_peer else "", ratio,
            f"{figure['rate']:.1f} {figure['unit']}" if "rate" in figure else ""]


def time(seconds):
    for limit, factor, unit in [(1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1, 1e3, "ms")]:
        if seconds < limit:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"


def table(head, rows):
    cell = lambda value: str(value).replace("|", "\\|").replace("\n", " ")
    line = lambda cells: "| " + " | ".join(cell(value) for value in cells) + " |"
    return [line(head), "|" + "---|" * len(head), *(line(row) for row in rows), ""]
