"""Compares the examples that simulate and draw with programs in numpy, float64, that share no code with them.

    python3 kernels-example/check/shows.py PATH/TO/examples

The argument is the folder of the built examples. Needs numpy and Pillow (requirements.txt). Exits with 1 when one differs.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image


def bodies():
    """Positions of the bodies after 100 steps."""
    i = np.arange(2048)
    radius, turn, still = 0.5 + i / 2048, (i.astype(np.float32) * np.float32(2.4)).astype(np.float64), np.zeros(2048)
    sin, cos = np.sin(turn), np.cos(turn)
    pos = np.stack([radius * cos, radius * sin, still], axis=1)
    velocity = np.stack([-0.7 * sin, 0.7 * cos, 0.1 * sin], axis=1)
    for _ in range(100):
        pos += 0.005 * velocity
        squares = np.sum(pos**2, axis=1)
        square = np.maximum(squares[:, None] + squares - 2 * pos @ pos.T, 0) + 0.05**2
        pull = 1 / (2048 * square * np.sqrt(square))
        velocity += 0.01 * (pull @ pos - pull.sum(axis=1)[:, None] * pos)
        pos += 0.005 * velocity
    return pos


def fluid():
    """How bright each cell is after 1000 steps."""
    side, dt, cell, mass = 128, 2e-4, 1 / 128, 0.25 / 128**2
    i = np.arange(96 * 96)
    x = 0.2 + 0.4 / 96 * np.stack([i % 96, i // 96], axis=1)
    v = np.tile([0.0, -1.0], (len(x), 1))
    affine = np.zeros((len(x), 2, 2))
    volume = np.ones(len(x))
    for _ in range(1000):
        first = (x / cell - 0.5).astype(int)
        at = x / cell - first
        shares = [0.5 * (1.5 - at) ** 2, 0.75 - (at - 1) ** 2, 0.5 * (at - 0.5) ** 2]
        stress = -4 * dt * 400 * mass / cell**2 * (volume - 1)
        push = stress[:, None, None] * np.eye(2) + mass * affine
        near = []
        grid = np.zeros((3, side * side))
        for a in range(3):
            for b in range(3):
                place = (first[:, 1] + b) * side + first[:, 0] + a
                share = shares[a][:, 0] * shares[b][:, 1]
                far = cell * (np.array([a, b]) - at)
                near.append((place, share, far))
                momentum = share[:, None] * (mass * v + np.einsum("pij,pj->pi", push, far))
                for k, part in enumerate([share * mass, momentum[:, 0], momentum[:, 1]]):
                    grid[k] += np.bincount(place, part, side * side)
        grid = grid.reshape(3, side, side)
        vx, vy = grid[1:] / np.maximum(grid[0], 1e-20)
        vy -= 9.8 * dt
        vx[:, :3], vx[:, -2:] = np.maximum(vx[:, :3], 0), np.minimum(vx[:, -2:], 0)
        vy[:3], vy[-2:] = np.maximum(vy[:3], 0), np.minimum(vy[-2:], 0)
        of_grid = np.stack([vx.ravel(), vy.ravel()], axis=1)
        v, affine = np.zeros_like(v), np.zeros_like(affine)
        for place, share, far in near:
            part = share[:, None] * of_grid[place]
            v += part
            affine += 4 / cell**2 * part[:, :, None] * far[:, None, :]
        volume *= 1 + dt * np.trace(affine, axis1=1, axis2=2)
        x = x + dt * v
    return np.minimum(grid[0][::-1] / (8 * mass), 1) * 255


def flow():
    """How bright each cell is after 2000 steps."""
    h, w = 120, 400
    way = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
    weight = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4
    back = [way.index((-dx, -dy)) for dx, dy in way]

    def calm(density, ux, uy):
        along = np.array([3 * (dx * ux + dy * uy) for dx, dy in way])
        weights = np.array(weight).reshape([9] + [1] * (along.ndim - 1))
        return weights * density * (1 + along + along**2 / 2 - 1.5 * (ux**2 + uy**2))

    y, x = np.mgrid[:h, :w]
    inlet, outlet = x == 0, x == w - 1
    wall = ((x - 80) ** 2 + (y - 62) ** 2 < 144) | (y == 0) | (y == h - 1)
    inlet, outlet = inlet & ~wall, outlet & ~wall
    inside = ~(wall | inlet | outlet)
    inflow = calm(1.0, np.float64(0.1), np.float64(0.0))
    f = np.tile(inflow[:, None, None], (1, h, w))
    for _ in range(2000):
        moved = np.empty_like(f)
        for k, (dx, dy) in enumerate(way):
            shift = lambda a: np.roll(a, (dy, dx), (0, 1))
            moved[k] = np.where(shift(wall), f[back[k]], np.where(shift(inlet), inflow[k], np.where(shift(outlet), f[k], shift(f[k]))))
        density = moved.sum(axis=0)
        ux = sum(dx * part for (dx, _), part in zip(way, moved)) / density
        uy = sum(dy * part for (_, dy), part in zip(way, moved)) / density
        f = np.where(inside, moved + (calm(density, ux, uy) - moved) / 0.56, f)
    density = f.sum(axis=0)
    ux = sum(dx * part for (dx, _), part in zip(way, f)) / density
    uy = sum(dy * part for (_, dy), part in zip(way, f)) / density
    return np.where(inside, np.minimum(np.hypot(ux, uy) * 5 * 255, 255), 0)


def mandelbrot():
    """The picture: not rounded, but cut."""
    y, x = np.mgrid[:800, :1200]
    c = (-2 + 0.0025 * x) + 1j * (-1 + 0.0025 * y)
    z, steps, left = c.copy().ravel(), np.zeros(c.size, int), np.arange(c.size)
    picture = np.zeros((c.size, 3))
    c = c.ravel()
    for n in range(256):
        out = np.abs(z) > 2
        steps[left[out]] = n
        t = np.sqrt((n + 1) / 257)
        picture[left[out]] = 255 * np.array([9 * (1 - t) * t**3, 15 * (1 - t) ** 2 * t**2, 8.5 * (1 - t) ** 3 * t])
        z, c, left = z[~out] ** 2 + c[~out], c[~out], left[~out]
    return picture.reshape(800, 1200, 3)


def scene():
    h, w = 540, 960
    light = np.array([0.5, 0.8, -0.4]) / np.linalg.norm([0.5, 0.8, -0.4])
    length = lambda v: np.sqrt((v * v).sum(axis=-1))
    unit = lambda v: v / length(v)[..., None]

    def distances(p):
        d = np.abs(p - [1.4, 0.8, 1.5]) - [0.7, 0.8, 0.7]
        block = length(np.maximum(d, 0)) + np.minimum(d.max(axis=-1), 0)
        return np.stack([p[..., 1], length(p - [-1.3, 1, 1]) - 1, length(p - [0.3, 0.5, -0.6]) - 0.5, block])

    def march(start, direction):
        way, left, hit = np.full(len(start), 0.02), np.arange(len(start)), np.zeros(len(start), bool)
        for _ in range(200):
            d = distances(start[left] + way[left, None] * direction[left]).min(axis=0)
            near = d < 1e-4 * way[left]
            hit[left[near]] = True
            left, d = left[~near], d[~near]
            way[left] += d
            left = left[way[left] <= 30]
        return hit, start + way[:, None] * direction

    y, x = np.mgrid[:h, :w]
    right, up = ((x + 0.5) / h - 0.5 * w / h).ravel(), (0.5 - (y + 0.5) / h).ravel()
    direction = unit(np.stack([right, up - 0.25, np.ones_like(up)], axis=1))
    picture = (0.5 + up)[:, None] * np.array([0.5, 0.7, 1])
    hit, p = march(np.tile([0.0, 2.0, -5.0], (len(up), 1)), direction)
    p = p[hit]
    slope = unit(np.stack([distances(p + e).min(axis=0) - distances(p).min(axis=0) for e in 0.01 * np.eye(3)], axis=1))
    shadow, _ = march(p + 0.02 * slope, np.tile(light, (len(p), 1)))
    lit = np.where(shadow, 0, np.maximum(slope @ light, 0))
    bright = (np.floor(p[:, 0]) + np.floor(p[:, 2])) % 2 < 1
    colours = np.array([[0.3, 0.3, 0.35], [0.9, 0.35, 0.2], [0.9, 0.35, 0.2], [0.2, 0.5, 0.9], [0.9, 0.9, 0.9]])
    shape = distances(p).argmin(axis=0)
    picture[hit] = (0.2 + 0.8 * lit)[:, None] * colours[np.where((shape == 0) & bright, 4, shape)]
    return picture.reshape(h, w, 3) * 255


def poisson():
    """The solution, by its waves, which the five-point formula scales."""
    side = 513
    i = np.arange(1, side - 1)
    square = 5 * i // side
    f = np.where((square[:, None] + square) % 2 == 0, 100.0, -60.0) / (side - 1) ** 2
    waves = np.sin(np.pi * np.outer(i, i) / (side - 1)) * np.sqrt(2 / (side - 1))
    scale = 2 - 2 * np.cos(np.pi * i / (side - 1))
    solution = np.zeros((side, side))
    solution[1:-1, 1:-1] = waves @ (waves @ f @ waves / (scale[:, None] + scale)) @ waves
    return solution


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    # How far off a number or pixel may be, and how many of thousand may be further off: those at edges.
    shows = {
        "07_bodies": (bodies, 1e-3, 0),
        "08_mpm": (fluid, 3, 10),
        "09_flow": (flow, 1, 0),
        "10_mandelbrot": (mandelbrot, 1, 1),
        "11_scene": (scene, 2, 2),
        "12_poisson": (poisson, 1e-7, 0),
    }
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (reference, allowed, edges) in shows.items():
            file = Path(folder) / (name + (".png" if name in ["10_mandelbrot", "11_scene"] else ".txt"))
            subprocess.run([Path(sys.argv[1]) / name, file], check=True, stdout=subprocess.DEVNULL)
            result = np.loadtxt(file) if file.suffix == ".txt" else np.asarray(Image.open(file), float)
            expected = reference()
            same_shape = result.shape == expected.shape
            off = np.abs(result - expected) if same_shape else np.array([np.inf])
            # A picture's levels are whole numbers.
            far = 1000 * np.mean(off > allowed)
            fine = same_shape and far <= edges
            bad += not fine
            verdict = "equal  " if fine else "DIFFERS"
            print(f"{verdict}  {name}: at most {off.max():.2g} off, in the mean {off.mean():.2g}; {far:.2g} ‰ by more than {allowed}")
    print(f"{len(shows)} programs compared with numpy, {bad} differ")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
