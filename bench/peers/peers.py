"""The programs of the benchmark in Numba, Taichi, Quadrants, Warp or PyTorch. The benchmark starts this file: `python peers.py LIBRARY THREADS`.

It reads commands, a line each, and answers each with a line:
    setup PROGRAM SIZE…   makes the data, and compiles; `ready`, or `none` if this library has no such program
    run                   runs the program once; `time SECONDS`
    result FILE           writes the result as float64; `written`
An answer `error …` says what went wrong. The programs are written as each library's documentation does it.
"""

import importlib
import math
import sys
import time

import numpy as np


def noise(n):
    """The data of all contestants."""
    return ((np.arange(n, dtype=np.uint32) * np.uint32(2654435761)) >> 8).astype(np.float32) / np.float32(16777216)


def matrix(rows):
    """A sparse matrix with 1 to 31 elements per row."""
    lengths = 1 + np.arange(rows, dtype=np.uint32) * np.uint32(2654435761) % np.uint32(31)
    starts = np.zeros(rows + 1, np.uint32)
    starts[1:] = np.cumsum(lengths)
    count = int(starts[-1])
    columns = (np.arange(count, dtype=np.uint32) * np.uint32(2246822519) >> 4) % np.uint32(rows)
    return starts, columns.astype(np.uint32), noise(count)


class Data:
    """Inputs and the output of a program."""

    def __init__(self, program, sizes):
        f32, n = np.float32, sizes[0]
        self.sizes = sizes
        if program == "saxpy":
            self.out, self.inputs = noise(n), [noise(n)]
        elif program == "stencil":
            self.out, self.inputs = np.zeros((n, n), f32), [noise(n * n).reshape(n, n)]
        elif program == "blur":
            weights = (1 / (np.arange(sizes[1]) + 13)).astype(f32)
            self.out, self.inputs = np.zeros((n, n), f32), [noise(n * n).reshape(n, n), weights]
        elif program == "matmul":
            self.out, self.inputs = np.zeros((n, n), f32), [noise(n * n).reshape(n, n)]
        elif program == "pairs":
            self.out, self.inputs = np.zeros(n, f32), [noise(n), noise(2 * n)[n:].copy(), noise(3 * n)[2 * n :].copy()]
        elif program == "mandelbrot":
            self.out, self.inputs = np.zeros((sizes[1], n), np.int32), []
        elif program == "spmv":
            self.out, self.inputs = np.zeros(n, f32), [*matrix(n), noise(n)]
        elif program == "calls":
            x = noise(3 * n).reshape(3, n)
            prices, strikes, years = 50 + 100 * x[0], 50 + 100 * x[1], f32(0.1) + 2 * x[2]
            self.out, self.inputs = np.zeros(n, f32), [prices, strikes, years]
        elif program == "rows":
            self.out, self.inputs = np.zeros((n, n), f32), [noise(n * n).reshape(n, n)]
        elif program == "bytes":
            weights = (26 - 2 * np.abs(np.arange(13) - 6)).astype(np.uint32)
            self.out, self.inputs = np.zeros((n, n), np.uint8), [(noise(n * n) * f32(255)).astype(np.uint8).reshape(n, n), weights]
        elif program == "potentials":
            self.out, self.inputs = np.zeros(n), [x.copy() for x in noise(3 * n).astype(np.float64).reshape(3, n)]
        elif program == "forces":
            self.out, self.inputs = np.zeros((n, 2), f32), [x.copy() for x in noise(2 * n).reshape(2, n)]
        elif program == "lattice":
            self.out = np.zeros((9, n, n), f32)
            self.inputs = [(f32(0.1) + f32(0.01) * noise(9 * n * n)).reshape(9, n, n)]
        elif program == "sum":
            self.out, self.inputs = np.zeros(1, f32), [noise(n)]
        else:
            raise KeyError(program)


DX, DY = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1], np.int32), np.array([0, 0, 1, 0, -1, 1, 1, -1, -1], np.int32)
WEIGHTS = (np.array([16, 4, 4, 4, 4, 1, 1, 1, 1]) / 36).astype(np.float32)


def numba_programs(threads):
    import numba
    from numba import njit, prange

    numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))

    @njit(parallel=True)
    def saxpy(out, x):
        for i in prange(out.size):
            out[i] += np.float32(0.5) * x[i]

    @njit(parallel=True)
    def stencil(out, a):
        h, w = a.shape
        for y in prange(1, h - 1):
            for x in range(1, w - 1):
                out[y, x] = np.float32(0.25) * (a[y, x - 1] + a[y, x + 1] + a[y - 1, x] + a[y + 1, x])

    @njit(parallel=True)
    def blur(out, a, weights):
        h, w = a.shape
        radius = weights.size // 2
        for y in prange(h):
            for x in range(w):
                total = np.float32(0)
                for k in range(weights.size):
                    total += weights[k] * a[y, min(max(x + k - radius, 0), w - 1)]
                out[y, x] = total

    @njit(parallel=True)
    def matmul(out, a):
        n = a.shape[0]
        for y in prange(n):
            out[y, :] = np.float32(0)
            for k in range(n):
                for x in range(n):
                    out[y, x] += a[y, k] * a[k, x]

    @njit(parallel=True)
    def pairs(out, px, py, pz):
        one, soft = np.float32(1), np.float32(1e-3)
        for i in prange(out.size):
            total = np.float32(0)
            for j in range(out.size):
                dx, dy, dz = px[j] - px[i], py[j] - py[i], pz[j] - pz[i]
                total += one / np.sqrt(dx * dx + dy * dy + dz * dz + soft)
            out[i] = total

    @njit(parallel=True)
    def rows(out, a):
        n = a.shape[0]
        for y in prange(n):
            for x in range(n):
                total = np.float32(0)
                for k in range(n):
                    total += a[y, k] * a[k, x]
                out[y, x] = total

    @njit(parallel=True)
    def bytes_blur(out, a, weights):
        h, w = a.shape
        for y in prange(h):
            for x in range(w):
                total = np.uint32(0)
                for k in range(weights.size):
                    total += weights[k] * np.uint32(a[y, min(max(x + k - 6, 0), w - 1)])
                out[y, x] = total >> np.uint32(8)

    @njit(parallel=True)
    def potentials(out, px, py, pz):
        for i in prange(out.size):
            total = 0.0
            for j in range(out.size):
                dx, dy, dz = px[j] - px[i], py[j] - py[i], pz[j] - pz[i]
                total += 1.0 / np.sqrt(dx * dx + dy * dy + dz * dz + 1e-3)
            out[i] = total

    @njit(parallel=True)
    def forces(out, px, py):
        reach = np.float32(0.2) * np.float32(0.2)
        for i in prange(px.size):
            fx, fy = np.float32(0), np.float32(0)
            for j in range(px.size):
                dx, dy = px[j] - px[i], py[j] - py[i]
                square = dx * dx + dy * dy
                if square < reach and square > np.float32(0):
                    force = np.float32(1) / (square * np.sqrt(square))
                    fx += force * dx
                    fy += force * dy
            out[i, 0] = fx
            out[i, 1] = fy

    @njit(parallel=True)
    def lattice(out, start):
        f = np.float32
        for y in prange(1, out.shape[1] - 1):
            for x in range(1, out.shape[2] - 1):
                density, vx, vy = f(0), f(0), f(0)
                for k in range(9):
                    part = start[k, y - DY[k], x - DX[k]]
                    density += part
                    vx += part * f(DX[k])
                    vy += part * f(DY[k])
                vx, vy = vx / density, vy / density
                square = f(1.5) * (vx * vx + vy * vy)
                for k in range(9):
                    part = start[k, y - DY[k], x - DX[k]]
                    along = f(3) * (f(DX[k]) * vx + f(DY[k]) * vy)
                    calm = WEIGHTS[k] * density * (f(1) + along + f(0.5) * along * along - square)
                    out[k, y, x] = part + f(0.6) * (calm - part)

    @njit(parallel=True)
    def mandelbrot(out):
        h, w = out.shape
        for y in prange(h):
            for x in range(w):
                cr, ci = np.float32(-2) + np.float32(0.005) * np.float32(x), np.float32(-1) + np.float32(0.005) * np.float32(y)
                zr, zi, n = cr, ci, 0
                while n < 256 and zr * zr + zi * zi <= np.float32(4):
                    zr, zi = zr * zr - zi * zi + cr, zr * zi + zi * zr + ci
                    n += 1
                out[y, x] = n if n < 256 else 0

    @njit(parallel=True)
    def spmv(out, starts, columns, values, x):
        for row in prange(out.size):
            total = np.float32(0)
            for at in range(starts[row], starts[row + 1]):
                total += values[at] * x[columns[at]]
            out[row] = total

    @njit
    def normal(x):
        f = np.float32
        t = f(1) / (f(1) + f(0.2316419) * abs(x))
        series = t * (f(0.31938154) + t * (f(-0.35656378) + t * (f(1.7814779) + t * (f(-1.821256) + t * f(1.3302745)))))
        tail = f(0.3989423) * np.exp(f(-0.5) * x * x) * series
        return tail if x < 0 else f(1) - tail

    @njit(parallel=True)
    def calls(out, prices, strikes, years):
        f = np.float32
        for i in prange(out.size):
            width = f(0.3) * np.sqrt(years[i])
            d = (np.log(prices[i] / strikes[i]) + f(0.065) * years[i]) / width
            out[i] = prices[i] * normal(d) - strikes[i] * np.exp(f(-0.02) * years[i]) * normal(d - width)

    @njit(parallel=True, fastmath={"reassoc"})
    def total(out, x):
        sum = np.float32(0)
        for i in prange(x.size):
            sum += x[i]
        out[0] = sum

    programs = dict(
        saxpy=saxpy, stencil=stencil, blur=blur, matmul=matmul, pairs=pairs,
        mandelbrot=mandelbrot, spmv=spmv, calls=calls, sum=total,
        rows=rows, bytes=bytes_blur, potentials=potentials, forces=forces, lattice=lattice,
    )

    def prepare(name, data):
        program = programs[name]
        return (lambda: program(data.out, *data.inputs)), (lambda: data.out)

    return prepare, numba.__version__


def taichi_programs(library, threads):
    ti = importlib.import_module(library)
    ti.init(arch=ti.cpu, cpu_max_num_threads=threads, log_level=ti.ERROR if hasattr(ti, "ERROR") else "error")
    line, plane = ti.types.ndarray(dtype=ti.f32, ndim=1), ti.types.ndarray(dtype=ti.f32, ndim=2)
    whole, counts = ti.types.ndarray(dtype=ti.u32, ndim=1), ti.types.ndarray(dtype=ti.i32, ndim=2)
    pixels, doubles = ti.types.ndarray(dtype=ti.u8, ndim=2), ti.types.ndarray(dtype=ti.f64, ndim=1)
    planes = ti.types.ndarray(dtype=ti.f32, ndim=3)
    links = [(int(dx), int(dy), float(weight)) for dx, dy, weight in zip(DX, DY, WEIGHTS)]

    @ti.kernel
    def saxpy(out: line, x: line):
        for i in range(out.shape[0]):
            out[i] += 0.5 * x[i]

    @ti.kernel
    def stencil(out: plane, a: plane):
        for y in range(1, a.shape[0] - 1):
            for x in range(1, a.shape[1] - 1):
                out[y, x] = 0.25 * (a[y, x - 1] + a[y, x + 1] + a[y - 1, x] + a[y + 1, x])

    @ti.kernel
    def blur(out: plane, a: plane, weights: line):
        for y in range(a.shape[0]):
            for x in range(a.shape[1]):
                total = 0.0
                for k in range(weights.shape[0]):
                    total += weights[k] * a[y, ti.min(ti.max(x + k - weights.shape[0] // 2, 0), a.shape[1] - 1)]
                out[y, x] = total

    @ti.kernel
    def matmul(out: plane, a: plane):
        for y, x in ti.ndrange(a.shape[0], a.shape[1]):
            total = 0.0
            for k in range(a.shape[0]):
                total += a[y, k] * a[k, x]
            out[y, x] = total

    @ti.kernel
    def pairs(out: line, px: line, py: line, pz: line):
        for i in range(out.shape[0]):
            total = 0.0
            for j in range(out.shape[0]):
                dx, dy, dz = px[j] - px[i], py[j] - py[i], pz[j] - pz[i]
                total += 1.0 / ti.sqrt(dx * dx + dy * dy + dz * dz + 1e-3)
            out[i] = total

    @ti.kernel
    def bytes_blur(out: pixels, a: pixels, weights: whole):
        for y in range(a.shape[0]):
            for x in range(a.shape[1]):
                total = ti.u32(0)
                for k in range(weights.shape[0]):
                    total += weights[k] * ti.cast(a[y, ti.min(ti.max(x + k - 6, 0), a.shape[1] - 1)], ti.u32)
                out[y, x] = ti.cast(total >> 8, ti.u8)

    @ti.kernel
    def potentials(out: doubles, px: doubles, py: doubles, pz: doubles):
        for i in range(out.shape[0]):
            total = ti.f64(0.0)
            for j in range(out.shape[0]):
                dx, dy, dz = px[j] - px[i], py[j] - py[i], pz[j] - pz[i]
                total += ti.f64(1.0) / ti.sqrt(dx * dx + dy * dy + dz * dz + ti.f64(1e-3))
            out[i] = total

    @ti.kernel
    def forces(out: plane, px: line, py: line):
        for i in range(px.shape[0]):
            fx, fy = 0.0, 0.0
            for j in range(px.shape[0]):
                dx, dy = px[j] - px[i], py[j] - py[i]
                square = dx * dx + dy * dy
                if square < 0.2 * 0.2 and square > 0.0:
                    force = 1.0 / (square * ti.sqrt(square))
                    fx += force * dx
                    fy += force * dy
            out[i, 0] = fx
            out[i, 1] = fy

    @ti.kernel
    def lattice(out: planes, start: planes):
        for y, x in ti.ndrange((1, out.shape[1] - 1), (1, out.shape[2] - 1)):
            density, vx, vy = 0.0, 0.0, 0.0
            for k in ti.static(range(9)):
                part = start[k, y - links[k][1], x - links[k][0]]
                density += part
                vx += part * links[k][0]
                vy += part * links[k][1]
            vx, vy = vx / density, vy / density
            square = 1.5 * (vx * vx + vy * vy)
            for k in ti.static(range(9)):
                part = start[k, y - links[k][1], x - links[k][0]]
                along = 3.0 * (links[k][0] * vx + links[k][1] * vy)
                calm = links[k][2] * density * (1.0 + along + 0.5 * along * along - square)
                out[k, y, x] = part + 0.6 * (calm - part)

    @ti.kernel
    def mandelbrot(out: counts):
        for y, x in ti.ndrange(out.shape[0], out.shape[1]):
            cr, ci = -2.0 + 0.005 * x, -1.0 + 0.005 * y
            zr, zi, n = cr, ci, 0
            while n < 256 and zr * zr + zi * zi <= 4.0:
                zr, zi = zr * zr - zi * zi + cr, zr * zi + zi * zr + ci
                n += 1
            out[y, x] = n if n < 256 else 0

    @ti.kernel
    def spmv(out: line, starts: whole, columns: whole, values: line, x: line):
        for row in range(out.shape[0]):
            total = 0.0
            for at in range(ti.cast(starts[row], ti.i32), ti.cast(starts[row + 1], ti.i32)):
                total += values[at] * x[ti.cast(columns[at], ti.i32)]
            out[row] = total

    @ti.func
    def normal(x):
        t = 1.0 / (1.0 + 0.2316419 * ti.abs(x))
        series = t * (0.31938154 + t * (-0.35656378 + t * (1.7814779 + t * (-1.821256 + t * 1.3302745))))
        tail = 0.3989423 * ti.exp(-0.5 * x * x) * series
        return tail if x < 0 else 1.0 - tail

    @ti.kernel
    def calls(out: line, prices: line, strikes: line, years: line):
        for i in range(out.shape[0]):
            width = 0.3 * ti.sqrt(years[i])
            d = (ti.log(prices[i] / strikes[i]) + 0.065 * years[i]) / width
            out[i] = prices[i] * normal(d) - strikes[i] * ti.exp(-0.02 * years[i]) * normal(d - width)

    @ti.kernel
    def total(out: line, x: line):
        sum = 0.0
        for i in range(x.shape[0]):
            sum += x[i]
        out[0] = sum

    programs = dict(
        saxpy=saxpy, stencil=stencil, blur=blur, matmul=matmul, pairs=pairs,
        mandelbrot=mandelbrot, spmv=spmv, calls=calls, sum=total,
        rows=matmul, bytes=bytes_blur, potentials=potentials, forces=forces, lattice=lattice,
    )
    types = {np.dtype(of): getattr(ti, name) for of, name in [(np.float32, "f32"), (np.float64, "f64"), (np.uint8, "u8"), (np.uint32, "u32"), (np.int32, "i32")]}

    def on_device(array):
        copy = ti.ndarray(types[array.dtype], array.shape)
        copy.from_numpy(np.ascontiguousarray(array))
        return copy

    def prepare(name, data):
        program = programs[name]
        arrays = [on_device(array) for array in [data.out, *data.inputs]]

        def run():
            program(*arrays)
            ti.sync()

        return run, arrays[0].to_numpy

    version = ti.__version__
    return prepare, version if isinstance(version, str) else ".".join(map(str, version))


def warp_programs(threads):
    import warp as wp

    wp.config.quiet = True
    wp.init()
    line, plane = wp.array(dtype=wp.float32), wp.array2d(dtype=wp.float32)
    whole, counts = wp.array(dtype=wp.uint32), wp.array2d(dtype=wp.int32)
    doubles, pixels = wp.array(dtype=wp.float64), wp.array2d(dtype=wp.uint8)

    @wp.kernel
    def saxpy(out: line, x: line):
        i = wp.tid()
        out[i] = out[i] + 0.5 * x[i]

    @wp.kernel
    def stencil(out: plane, a: plane):
        y, x = wp.tid()
        if y > 0 and y < a.shape[0] - 1 and x > 0 and x < a.shape[1] - 1:
            out[y, x] = 0.25 * (a[y, x - 1] + a[y, x + 1] + a[y - 1, x] + a[y + 1, x])

    @wp.kernel
    def blur(out: plane, a: plane, weights: line):
        y, x = wp.tid()
        total = float(0.0)
        for k in range(weights.shape[0]):
            total += weights[k] * a[y, wp.min(wp.max(x + k - weights.shape[0] // 2, 0), a.shape[1] - 1)]
        out[y, x] = total

    @wp.kernel
    def rows(out: plane, a: plane):
        y, x = wp.tid()
        total = float(0.0)
        for k in range(a.shape[0]):
            total += a[y, k] * a[k, x]
        out[y, x] = total

    @wp.kernel
    def pairs(out: line, px: line, py: line, pz: line):
        i = wp.tid()
        total = float(0.0)
        for j in range(out.shape[0]):
            dx = px[j] - px[i]
            dy = py[j] - py[i]
            dz = pz[j] - pz[i]
            total += 1.0 / wp.sqrt(dx * dx + dy * dy + dz * dz + 1.0e-3)
        out[i] = total

    @wp.kernel
    def potentials(out: doubles, px: doubles, py: doubles, pz: doubles):
        i = wp.tid()
        total = wp.float64(0.0)
        for j in range(out.shape[0]):
            dx = px[j] - px[i]
            dy = py[j] - py[i]
            dz = pz[j] - pz[i]
            total += wp.float64(1.0) / wp.sqrt(dx * dx + dy * dy + dz * dz + wp.float64(1.0e-3))
        out[i] = total

    @wp.kernel
    def forces(out: plane, px: line, py: line):
        i = wp.tid()
        fx = float(0.0)
        fy = float(0.0)
        for j in range(px.shape[0]):
            dx = px[j] - px[i]
            dy = py[j] - py[i]
            square = dx * dx + dy * dy
            if square < 0.2 * 0.2 and square > 0.0:
                force = 1.0 / (square * wp.sqrt(square))
                fx += force * dx
                fy += force * dy
        out[i, 0] = fx
        out[i, 1] = fy

    @wp.kernel
    def bytes_blur(out: pixels, a: pixels, weights: whole):
        y, x = wp.tid()
        total = wp.uint32(0)
        for k in range(weights.shape[0]):
            total += weights[k] * wp.uint32(a[y, wp.min(wp.max(x + k - 6, 0), a.shape[1] - 1)])
        out[y, x] = wp.uint8(total >> wp.uint32(8))

    @wp.kernel
    def mandelbrot(out: counts):
        y, x = wp.tid()
        cr = -2.0 + 0.005 * float(x)
        ci = -1.0 + 0.005 * float(y)
        zr = float(cr)
        zi = float(ci)
        n = int(0)
        while n < 256 and zr * zr + zi * zi <= 4.0:
            next = zr * zr - zi * zi + cr
            zi = zr * zi + zi * zr + ci
            zr = next
            n += 1
        if n == 256:
            n = 0
        out[y, x] = n

    @wp.kernel
    def spmv(out: line, starts: whole, columns: whole, values: line, x: line):
        row = wp.tid()
        total = float(0.0)
        for at in range(int(starts[row]), int(starts[row + 1])):
            total += values[at] * x[int(columns[at])]
        out[row] = total

    @wp.func
    def normal(x: float):
        t = 1.0 / (1.0 + 0.2316419 * wp.abs(x))
        series = t * (0.31938154 + t * (-0.35656378 + t * (1.7814779 + t * (-1.821256 + t * 1.3302745))))
        tail = 0.3989423 * wp.exp(-0.5 * x * x) * series
        return wp.where(x < 0.0, tail, 1.0 - tail)

    @wp.kernel
    def calls(out: line, prices: line, strikes: line, years: line):
        i = wp.tid()
        width = 0.3 * wp.sqrt(years[i])
        d = (wp.log(prices[i] / strikes[i]) + 0.065 * years[i]) / width
        out[i] = prices[i] * normal(d) - strikes[i] * wp.exp(-0.02 * years[i]) * normal(d - width)

    programs = dict(
        saxpy=saxpy, stencil=stencil, blur=blur, matmul=rows, pairs=pairs, mandelbrot=mandelbrot, spmv=spmv, calls=calls,
        rows=rows, bytes=bytes_blur, potentials=potentials, forces=forces,
    )

    def prepare(name, data):
        program = programs[name]
        arrays = [wp.array(np.ascontiguousarray(array), device="cpu") for array in [data.out, *data.inputs]]
        dim = len(data.out) if name == "forces" else data.out.shape

        def run():
            wp.launch(program, dim=dim, inputs=arrays, device="cpu")
            wp.synchronize()

        return run, arrays[0].numpy

    return prepare, wp.__version__


def torch_programs(threads):
    import torch

    torch.set_num_threads(threads)

    def saxpy(out, x):
        out.add_(x, alpha=0.5)

    def stencil(out, a):
        torch.mul(a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1], 0.25, out=out[1:-1, 1:-1])

    def blur(out, a, weights):
        radius = len(weights) // 2
        padded = torch.nn.functional.pad(a[:, None], (radius, radius), mode="replicate")
        out.copy_(torch.nn.functional.conv1d(padded, weights[None, None])[:, 0])

    def matmul(out, a):
        torch.mm(a, a, out=out)

    def pairs(out, px, py, pz):
        dx, dy, dz = (p[None] - p[:, None] for p in (px, py, pz))
        torch.sum(torch.rsqrt(dx * dx + dy * dy + dz * dz + 1e-3), dim=1, out=out)

    def forces(out, px, py):
        dx, dy = px[None] - px[:, None], py[None] - py[:, None]
        square = dx * dx + dy * dy
        force = torch.where((square < 0.2 * 0.2) & (square > 0), 1 / (square * torch.sqrt(square)), 0)
        out[:, 0], out[:, 1] = (force * dx).sum(1), (force * dy).sum(1)

    def mandelbrot(out):
        h, w = out.shape
        c = torch.complex(-2 + 0.005 * torch.arange(w).expand(h, w), -1 + 0.005 * torch.arange(h)[:, None].expand(h, w))
        z, inside = c.clone(), torch.ones(h, w, dtype=torch.bool)
        out.zero_()
        for _ in range(256):
            inside = inside & (z.real * z.real + z.imag * z.imag <= 4)
            out += inside
            z = torch.where(inside, z * z + c, z)
        out[out == 256] = 0

    def normal(x):
        t = 1 / (1 + 0.2316419 * x.abs())
        series = t * (0.31938154 + t * (-0.35656378 + t * (1.7814779 + t * (-1.821256 + t * 1.3302745))))
        tail = 0.3989423 * torch.exp(-0.5 * x * x) * series
        return torch.where(x < 0, tail, 1 - tail)

    def calls(out, prices, strikes, years):
        width = 0.3 * torch.sqrt(years)
        d = (torch.log(prices / strikes) + 0.065 * years) / width
        torch.sub(prices * normal(d), strikes * torch.exp(-0.02 * years) * normal(d - width), out=out)

    def spmv(out, matrix, x):
        out.copy_(matrix @ x)

    def total(out, x):
        torch.sum(x, dim=0, keepdim=True, out=out)

    # What has no operations for whole arrays, such as a blur of bytes, is left out.
    programs = dict(
        saxpy=saxpy, stencil=stencil, blur=blur, matmul=matmul, pairs=pairs, mandelbrot=mandelbrot, spmv=spmv, calls=calls,
        sum=total, potentials=pairs, forces=forces,
    )

    def prepare(name, data):
        program = programs[name]
        if name == "spmv":
            starts, columns, values, x = data.inputs
            indexes = [torch.from_numpy(array.astype(np.int64)) for array in (starts, columns)]
            size = (len(data.out), len(x))
            inputs = [torch.sparse_csr_tensor(*indexes, torch.from_numpy(values), size), torch.from_numpy(x)]
        else:
            inputs = [torch.from_numpy(np.ascontiguousarray(array)) for array in data.inputs]
        out = torch.from_numpy(data.out)
        return (lambda: program(out, *inputs)), out.numpy

    return prepare, torch.__version__


def main():
    library, threads = sys.argv[1], int(sys.argv[2])
    # Libraries print to stdout, which is for answers.
    answers, sys.stdout = sys.stdout, sys.stderr

    def say(line):
        print(line, file=answers, flush=True)

    try:
        others = dict(numba=numba_programs, warp=warp_programs, torch=torch_programs)
        prepare, version = others[library](threads) if library in others else taichi_programs(library, threads)
    except ImportError as error:
        return say(f"error {error}")
    say(f"version {version}")
    run = result = None
    for command in sys.stdin:
        verb, *words = command.split(maxsplit=1)
        try:
            if verb == "setup":
                program, *sizes = words[0].split()
                run, result = prepare(program, Data(program, [int(size) for size in sizes]))
                say("ready")
            elif verb == "run":
                start = time.perf_counter()
                run()
                say(f"time {time.perf_counter() - start!r}")
            elif verb == "result":
                np.asarray(result(), np.float64).tofile(words[0].rstrip("\n"))
                say("written")
            else:
                say(f"error no such command: {verb}")
        except KeyError:
            say("none")
        except Exception as error:
            say("error " + f"{type(error).__name__}: {error}".replace("\n", " "))


if __name__ == "__main__":
    main()
