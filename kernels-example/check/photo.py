"""Compares the example's pictures with an unsharp mask in numpy, float64, that shares no code with it.

    python3 kernels-example/check/photo.py PATH/TO/kernels-example

The argument is the built program. Every picture must be at most one level off at any pixel, and equal at 99.9 %.
Needs numpy and Pillow (requirements.txt). Exits with 1 when a picture differs by more.
"""

import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

ASTRONAUT = Path(__file__).resolve().parent.parent / "images" / "astronaut.png"


def blur(plane, sigma, axis):
    """One pass of the Gaussian along an axis, edges continued."""
    radius = math.ceil(3 * sigma)
    k = np.arange(-radius, radius + 1, dtype=np.float64)
    weights = np.exp(-(k**2) / (2 * sigma**2))
    weights /= weights.sum()
    pad = [(0, 0), (0, 0)]
    pad[axis] = (radius, radius)
    padded = np.pad(plane, pad, mode="edge")
    n = plane.shape[axis]
    return sum(w * np.take(padded, np.arange(i, i + n), axis) for i, w in enumerate(weights))


def unsharp(pixels, sigma, amount):
    """The sharpened pixels; of two or four channels the last is alpha and stays."""
    result = pixels.copy()
    channels = pixels.shape[2]
    for c in range(channels - 1 if channels in (2, 4) else channels):
        plane = pixels[..., c].astype(np.float64)
        blurred = blur(blur(plane, sigma, axis=1), sigma, axis=0)
        sharp = np.clip(plane + amount * (plane - blurred), 0, 255)
        result[..., c] = np.floor(sharp + 0.5).astype(np.uint8)  # nearest, halves up, as Rust's round does
    return result


def pictures():
    """Name, pixels (rows, columns, channels), sigma, amount."""
    with Image.open(ASTRONAUT) as image:
        astronaut = np.asarray(image)
        grey = np.asarray(image.convert("L"))[..., None]
    random = np.random.default_rng(7)
    noise = lambda height, width, channels: random.integers(0, 256, (height, width, channels), dtype=np.uint8)
    alpha = noise(*astronaut.shape[:2], 1)
    yield "the photograph", astronaut, 2.0, 1.0
    yield "the photograph, wide and strong", astronaut, 12.5, 2.5
    yield "the photograph, softened", astronaut, 1.0, -1.0
    yield "the photograph in grey", grey, 2.0, 1.0
    yield "the photograph with alpha", np.concatenate([astronaut, alpha], axis=2), 2.0, 1.0
    yield "the photograph in grey with alpha", np.concatenate([grey, alpha], axis=2), 0.7, 3.0
    yield "a part with odd sides", np.ascontiguousarray(astronaut[31:364, 7:298]), 1.5, 1.0
    for height, width in [(1, 1), (1, 7), (7, 1), (3, 5), (33, 17), (1, 1000), (1000, 1)]:
        for channels in (1, 2, 3, 4):
            yield f"{width} × {height} with {channels} channels of noise", noise(height, width, channels), 2.0, 1.0
    yield "noise under the widest blur", noise(50, 70, 3), 100.0, 1.0


def run(program, folder, pixels, sigma, amount):
    before, after = folder / "before.png", folder / "after.png"
    Image.fromarray(pixels.squeeze(2) if pixels.shape[2] == 1 else pixels).save(before)
    options = ["--sigma", str(sigma), "--amount", str(amount), "-o", after]
    subprocess.run([program, before, *options], check=True, stdout=subprocess.DEVNULL)
    with Image.open(after) as image:
        result = np.asarray(image)
    return result[..., None] if result.ndim == 2 else result


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    bad = 0
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, pixels, sigma, amount in pictures():
            result = run(program, Path(folder), pixels, sigma, amount)
            expected = unsharp(pixels, sigma, amount)
            count += 1
            if result.shape != expected.shape:
                print(f"DIFFERS  {name}: the shape is {result.shape}, not {expected.shape}")
                bad += 1
                continue
            difference = np.abs(result.astype(int) - expected.astype(int))
            unequal = np.count_nonzero(difference.max(axis=2)) / (pixels.shape[0] * pixels.shape[1])
            fine = difference.max() <= 1 and unequal <= 0.001
            bad += not fine
            verdict = "equal  " if fine else "DIFFERS"
            print(f"{verdict}  {name}: at most {difference.max()} levels off, {100 * (1 - unequal):.4f} % of the pixels equal")
    print(f"{count} pictures compared with numpy, {bad} differ")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
