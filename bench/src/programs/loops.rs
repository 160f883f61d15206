//! Loops over memory, windows over neighbours, all pairs, conjugate gradients.

use anabranch::prelude::*;
use rayon::prelude::*;

use super::noise;
use crate::families::Family;
use crate::kernels::benchmarks as k;
use crate::kernels::poisson::{ByHand, steps};
use crate::kernels::{DX, DY, WEIGHTS, stream_and_collide, tiled_pairs};
use crate::measure::{Bench, Failure};

/// Copies of the data of the stencil.
const PLANES: usize = 8;

pub(super) fn run(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    saxpy(bench, stream)?;
    stencil(bench, stream)?;
    blur(bench, stream)?;
    all_pairs(bench, stream)?;
    lattice(bench, stream)?;
    conjugate_gradients(bench, stream)
}

fn saxpy(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let device = stream.device();
    let n = 4 << 20;
    let (x, mut y) = (noise(n), noise(n));
    let (dx, mut dy) = (device.buffer_from(&x)?, device.buffer_from(&y)?);
    bench.with_peers(
        Family::Memory,
        ("saxpy, 4M f32", &format!("saxpy {n}")),
        stream,
        &mut || k::saxpy(stream, &mut dy, &dx, 0.5),
        &mut || y.par_iter_mut().zip(&x).for_each(|(y, x)| *y += 0.5 * x),
    )?;

    bench.same(&dy.to_vec()?, &y)
}

fn stencil(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let device = stream.device();
    let side = 2048;
    let a = noise(side * side);
    // Rows have 8 KiB: the alignment of two planes relative to each other matters more than what is
    // compared. So each round uses different planes. Write the zeros: otherwise the first use would
    // allocate pages, and this would be measured.
    let zeros = || {
        let mut plane = a.clone();
        plane.fill(0.0f32);
        plane
    };
    let mut by_hand: Vec<_> = (0..PLANES).map(|_| (a.clone(), zeros())).collect();
    let mut of_kernel = (0..PLANES)
        .map(|_| Ok((device.buffer_from(&a)?, device.zeros::<f32>(side * side)?)))
        .collect::<anabranch::Result<Vec<_>>>()?;
    let (mut run, mut run_by_hand) = ((0..PLANES).cycle(), (0..PLANES).cycle());
    let mut kernel = || {
        let (da, db) = &mut of_kernel[run.next().unwrap_or(0)];
        k::stencil(stream, db, da, side, side)
    };
    bench.with_peers(
        Family::Memory,
        ("5-point stencil, 2048²", &format!("stencil {side}")),
        stream,
        &mut kernel,
        &mut || {
            let (a, b) = &mut by_hand[run_by_hand.next().unwrap_or(0)];
            b.par_chunks_mut(side).enumerate().skip(1).take(side - 2).for_each(|(y, row)| {
                let (up, mid, down) =
                    (&a[(y - 1) * side..][..side], &a[y * side..][..side], &a[(y + 1) * side..][..side]);
                for x in 1..side - 1 {
                    row[x] = 0.25 * (mid[x - 1] + mid[x + 1] + up[x] + down[x]);
                }
            });
        },
    )?;
    bench.same(&of_kernel[0].1.to_vec()?, &by_hand[0].1)
}

fn blur(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let device = stream.device();
    let (w, h, taps) = (512, 512, 13);
    let plane = noise(w * h);
    let weights: Vec<f32> = (0..taps).map(|k| 1.0 / (k as f32 + 13.0)).collect();
    let mut out = vec![0.0f32; w * h];
    let (dp, dw, mut dout) = (device.buffer_from(&plane)?, device.buffer_from(&weights)?, device.zeros::<f32>(w * h)?);
    bench.with_peers(
        Family::Windows,
        ("blur of a photograph's plane", &format!("blur {w} {taps}")),
        stream,
        &mut || k::blur(stream, &mut dout, &dp, &dw, w, h),
        &mut || {
            let radius = taps / 2;
            out.par_chunks_mut(w).zip(plane.par_chunks(w)).for_each(|(out, row)| {
                for (x, out) in out.iter_mut().enumerate() {
                    let mut sum = 0.0;
                    for (k, weight) in weights.iter().enumerate() {
                        sum += weight * row[(x + k).saturating_sub(radius).min(w - 1)];
                    }
                    *out = sum;
                }
            });
        },
    )?;
    bench.same(&dout.to_vec()?, &out)
}

fn all_pairs(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let device = stream.device();
    let points = 4096;
    let (px, py, pz) = (noise(points), noise(2 * points), noise(3 * points));
    let (py, pz) = (&py[points..], &pz[2 * points..]);
    let mut sums = vec![0.0f32; points];
    let (dpx, dpy, dpz) = (device.buffer_from(&px)?, device.buffer_from(py)?, device.buffer_from(pz)?);
    let mut dsums = device.zeros::<f32>(points)?;
    let mut by_hand = || potentials(&mut sums, &px, py, pz);
    bench.with_peers(
        Family::LongLoops,
        ("all pairs of 4096 points", &format!("pairs {points}")),
        stream,
        &mut || k::all_pairs(stream, &mut dsums, &dpx, &dpy, &dpz),
        &mut by_hand,
    )?;
    bench.same(&dsums.to_vec()?, &sums)?;

    dsums.fill(0.0)?;
    let mut by_tiles = || tiled_pairs(stream, &mut dsums, &dpx, &dpy, &dpz);
    let mut by_hand = || potentials(&mut sums, &px, py, pz);
    bench.pair(Family::LongLoops, "all pairs by tiles, 4096", stream, &mut by_tiles, &mut by_hand)?;
    bench.same(&dsums.to_vec()?, &sums)
}

/// Of each point, the sum of what all points do to it.
fn potentials(sums: &mut [f32], px: &[f32], py: &[f32], pz: &[f32]) {
    sums.par_iter_mut().enumerate().for_each(|(i, out)| {
        let (x, y, z) = (px[i], py[i], pz[i]);
        let mut sum = 0.0;
        for ((qx, qy), qz) in px.iter().zip(py).zip(pz) {
            let (dx, dy, dz) = (qx - x, qy - y, qz - z);
            sum += 1.0 / (dx * dx + dy * dy + dz * dz + 1e-3).sqrt();
        }
        *out = sum;
    });
}

#[allow(clippy::needless_range_loop, reason = "as in the kernel")]
fn lattice(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let (device, side) = (stream.device(), 512);
    let cells = side * side;
    let first: Vec<f32> = noise(9 * cells).into_iter().map(|part| 0.1 + 0.01 * part).collect();
    let mut by_hand = vec![0.0f32; 9 * cells];
    let from = device.grid_from(&first, [9, side, side])?;
    let mut to = device.grid_zeros::<f32, 3>([9, side, side])?;
    // A cell's nine values are in nine planes, which safe Rust splits like this.
    let mut planes: Vec<&mut [f32]> = by_hand.chunks_mut(cells).collect();
    let mut kernel = || stream_and_collide(stream, &mut to, &from);
    let name = ("lattice Boltzmann, 512²", &*format!("lattice {side}"));
    bench.with_peers(Family::Windows, name, stream, &mut kernel, &mut || {
        let mut rows: Vec<Vec<&mut [f32]>> = (0..side).map(|_| Vec::with_capacity(9)).collect();
        for plane in &mut planes {
            plane.chunks_mut(side).zip(&mut rows).for_each(|(row, rows)| rows.push(row));
        }
        rows.par_iter_mut().enumerate().skip(1).take(side - 2).for_each(|(y, to)| {
            for x in 1..side - 1 {
                let mut parts = [0.0; 9];
                for k in 0..9 {
                    let near = (y as i32 - DY[k]) as usize * side + (x as i32 - DX[k]) as usize;
                    parts[k] = first[k * cells + near];
                }
                let (mut density, mut vx, mut vy) = (0.0, 0.0, 0.0);
                for k in 0..9 {
                    density += parts[k];
                    vx += parts[k] * DX[k] as f32;
                    vy += parts[k] * DY[k] as f32;
                }
                let (vx, vy) = (vx / density, vy / density);
                let square = 1.5 * (vx * vx + vy * vy);
                for k in 0..9 {
                    let along = 3.0 * (DX[k] as f32 * vx + DY[k] as f32 * vy);
                    let calm = WEIGHTS[k] * density * (1.0 + along + 0.5 * along * along - square);
                    to[k][x] = parts[k] + 0.6 * (calm - parts[k]);
                }
            }
        });
    })?;
    bench.same(&to.to_vec()?, &by_hand)
}

fn conjugate_gradients(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let device = stream.device();
    // Both use the same buffers, so the layout in memory is the same.
    let side = 1024;
    let inside = |i: usize| 0 < i && i < side - 1;
    let f = |(i, f): (usize, f32)| if inside(i / side) && inside(i % side) { f64::from(f) - 0.5 } else { 0.0 };
    let f: Vec<f64> = noise(side * side).into_iter().enumerate().map(f).collect();
    let mut by_hand = ByHand::new(&f, side);
    let [mut u, mut ap] = [device.grid_zeros([side, side])?, device.grid_zeros([side, side])?];
    let [mut r, mut p] = [device.grid_from(&f, [side, side])?, device.grid_from(&f, [side, side])?];
    let (mut sums, mut rr) = (device.zeros(side)?, device.buffer_from(&[by_hand.rr])?);
    let mut factor = device.zeros(1)?;
    let mut kernel = || steps(stream, &mut u, &mut r, &mut p, &mut ap, &mut sums, &mut rr, &mut factor, 10);
    bench.pair(Family::Memory, "conjugate gradients, 1024²", stream, &mut kernel, &mut || by_hand.steps(10))?;
    bench.same(&u.to_vec()?, &by_hand.u)
}
