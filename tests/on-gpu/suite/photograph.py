"""The photograph of this run against the one that the CPU device made where the pack was built."""


def read(path):
    """Width, height and samples of a PAM with three bytes a pixel."""
    header, _, samples = path.read_bytes().partition(b"ENDHDR\n")
    fields = dict(line.split(b" ", 1) for line in header.splitlines() if b" " in line)
    width, height = int(fields[b"WIDTH"]), int(fields[b"HEIGHT"])
    if fields[b"DEPTH"] != b"3" or fields[b"MAXVAL"] != b"255" or len(samples) != 3 * width * height:
        raise ValueError(f"{path.name} has not three bytes a pixel")
    return width, height, samples


def compare(path, reference):
    """Why they differ, or None, and how far they are apart: one level at most, and equal at 99.9 % of the pixels, as a GPU may round
    `a * b + c` once where the CPU rounds twice."""
    width, height, got = read(path)
    if (width, height) != read(reference)[:2]:
        return f"it is {width} by {height} pixels", ""
    want = read(reference)[2]
    if got == want:
        return None, "equal to the CPU's"
    most = max(abs(a - b) for a, b in zip(got, want))
    unequal = sum(got[i:i + 3] != want[i:i + 3] for i in range(0, len(got), 3)) / (width * height)
    apart = f"at most {most} levels off, {100 * (1 - unequal):.4f} % of the pixels equal"
    return (None, apart) if most <= 1 and unequal <= 0.001 else (apart, "")
