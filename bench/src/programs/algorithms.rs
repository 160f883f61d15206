//! Whole algorithms: a simulation step, all pairs of bodies, a scan, a histogram, and some of
//! `anabranch::algorithms`, each with hand-written code.

use anabranch::algorithms::{Order, matmul, sort, transpose};
use anabranch::prelude::*;
use rayon::prelude::*;

use super::noise;
use crate::families::Family;
use crate::kernels::benchmarks as k;
use crate::kernels::nbody::nbody;
use crate::measure::{Bench, Failure};

const BLOCKS: usize = 64;
const BINS: usize = 256;

pub(super) fn run(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    heat(bench, stream)?;
    bodies(bench, stream)?;
    scan(bench, stream)?;
    histogram(bench, stream)?;
    transposition(bench, stream, 2048)?;
    transposition(bench, stream, 4096)?;
    mean(bench, stream)?;
    product(bench, stream)?;
    sorting(bench, stream)
}

fn heat(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let (device, side, c) = (stream.device(), 2048, 0.1);
    let a = noise(side * side);
    let mut b = vec![0.0f32; side * side];
    let (da, mut db) = (device.grid_from(&a, [side, side])?, device.grid_zeros::<f32, 2>([side, side])?);
    bench.pair(
        Family::Memory,
        "heat equation, 2048²",
        stream,
        &mut || k::heat(stream, &mut db, &da, c),
        &mut || {
            b.par_chunks_mut(side).enumerate().skip(1).take(side - 2).for_each(|(y, row)| {
                let (up, mid, down) =
                    (&a[(y - 1) * side..][..side], &a[y * side..][..side], &a[(y + 1) * side..][..side]);
                for x in 1..side - 1 {
                    row[x] = mid[x] + c * (up[x] + down[x] + mid[x - 1] + mid[x + 1] - 4.0 * mid[x]);
                }
            });
        },
    )?;
    bench.same(&db.to_vec()?, &b)
}

fn bodies(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let (device, n, softening, dt) = (stream.device(), 4096, 0.1, 1e-4);
    let (mass, mut pos, mut vel) = (noise(n), noise(3 * n), vec![0.0f32; 3 * n]);
    let (dmass, mut dpos, mut dvel) = (device.buffer_from(&mass)?, device.buffer_from(&pos)?, device.zeros(3 * n)?);
    let mut kernel = || nbody(stream, &mut dpos, &mut dvel, &dmass, softening, dt, 1);
    bench.pair(Family::Slices, "n-body, 4096 bodies", stream, &mut kernel, &mut || {
        vel.par_chunks_mut(3).enumerate().for_each(|(i, vel)| {
            let p = [pos[3 * i], pos[3 * i + 1], pos[3 * i + 2]];
            let mut sum = [0.0; 3];
            for (q, m) in pos.chunks_exact(3).zip(&mass) {
                let d = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
                let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening * softening;
                let strength = m / (square * square.sqrt());
                for k in 0..3 {
                    sum[k] += d[k] * strength;
                }
            }
            for k in 0..3 {
                vel[k] += dt * sum[k];
            }
        });
        pos.par_iter_mut().zip(&vel).for_each(|(pos, vel)| *pos += dt * vel);
    })?;
    bench.same(&dpos.to_vec()?, &pos)
}

fn scan(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let (device, n) = (stream.device(), 4 << 20);
    let x: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 19).collect();
    let (mut out, mut sums, size) = (vec![0u32; n], vec![0u32; BLOCKS], n.div_ceil(BLOCKS));
    let (dx, mut dout, mut dsums) = (device.buffer_from(&x)?, device.zeros::<u32>(n)?, device.zeros(BLOCKS)?);
    let total = |values: &[u32]| values.iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
    bench.pair(
        Family::Algorithms,
        "scan, 4M u32",
        stream,
        &mut || k::scan(stream, &mut dout, &dx, &mut dsums),
        &mut || {
            sums.par_iter_mut().zip(x.par_chunks(size)).for_each(|(sum, x)| *sum = total(x));
            out.par_chunks_mut(size).zip(x.par_chunks(size)).enumerate().for_each(|(b, (out, x))| {
                let mut sum = total(&sums[..b]);
                for (out, x) in out.iter_mut().zip(x) {
                    sum = sum.wrapping_add(*x);
                    *out = sum;
                }
            });
        },
    )?;
    bench.same(&dout.to_vec()?, &out)
}

fn histogram(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let (device, n) = (stream.device(), 16usize << 20);
    // Bytes that are random enough to defeat the processor's prediction of addresses.
    let mixed = |number: u32| (number ^ number >> 15).wrapping_mul(0x2c1b_3c6d);
    let x: Vec<u8> = (0..n as u32).map(|i| (mixed(mixed(i)) >> 24) as u8).collect();
    let (mut parts, mut counts, size) = (vec![0u32; BLOCKS * BINS], vec![0u32; BINS], n.div_ceil(BLOCKS));
    let (dx, mut dparts, mut dcounts) =
        (device.buffer_from(&x)?, device.zeros(BLOCKS * BINS)?, device.zeros::<u32>(BINS)?);
    bench.pair(
        Family::Algorithms,
        "histogram, 16M bytes",
        stream,
        &mut || k::histogram(stream, &mut dcounts, &mut dparts, &dx),
        &mut || {
            parts.par_chunks_mut(BINS).zip(x.par_chunks(size)).for_each(|(row, x)| {
                row.fill(0);
                for byte in x {
                    row[usize::from(*byte)] += 1;
                }
            });
            let column = |bin| parts.chunks(BINS).map(|row: &[u32]| row[bin]).sum();
            counts.par_iter_mut().enumerate().for_each(|(bin, count)| *count = column(bin));
        },
    )?;
    bench.same(&dcounts.to_vec()?, &counts)?;
    let mut atomic = device.zeros::<u32>(BINS)?;
    k::atomic_histogram(stream, &mut atomic, &dx)?;
    bench.same(&atomic.to_vec()?, &counts)?;
    let mut passes = || k::histogram(stream, &mut dcounts, &mut dparts, &dx);
    let kernel = &mut || k::atomic_histogram(stream, &mut atomic, &dx);
    bench.compare(Family::Atomics, "histogram with atomics", stream, kernel, ("two passes", &mut passes), None)?;
    Ok(())
}

fn transposition(bench: &mut Bench, stream: &Stream, side: usize) -> Result<(), Failure> {
    let device = stream.device();
    let a = noise(side * side);
    let mut b = vec![0.0f32; side * side];
    let (da, mut db) = (device.grid_from(&a, [side, side])?, device.grid_zeros::<f32, 2>([side, side])?);
    bench.pair(
        Family::Memory,
        &format!("transpose, {side}²"),
        stream,
        &mut || transpose(stream, &da, &mut db),
        &mut || {
            b.par_chunks_mut(32 * side).enumerate().for_each(|(tile, rows)| {
                for y in (0..side).step_by(32) {
                    for (x, row) in rows.chunks_mut(side).enumerate() {
                        for i in 0..32 {
                            row[y + i] = a[(y + i) * side + tile * 32 + x];
                        }
                    }
                }
            });
        },
    )?;
    bench.same(&db.to_vec()?, &b)
}

/// A stencil by tiles, compared with the same by rows.
fn mean(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let (device, side) = (stream.device(), 2050);
    let a = noise(side * side);
    let mut b = vec![0.0f32; side * side];
    let (da, mut db) = (device.buffer_from(&a)?, device.zeros::<f32>(side * side)?);
    let mut kernel = || k::mean_by_tiles(stream, &mut db, &da, side, side);
    bench.pair(Family::Windows, "3×3 stencil by tiles, 2050²", stream, &mut kernel, &mut || {
        b.par_chunks_mut(side).enumerate().skip(1).take(side - 2).for_each(|(y, row)| {
            let rows = [y - 1, y, y + 1].map(|y| &a[y * side..][..side]);
            for x in 1..side - 1 {
                let mut sum = 0.0;
                for row in rows {
                    for value in &row[x - 1..x + 2] {
                        sum += value;
                    }
                }
                row[x] = sum * (1.0 / 9.0);
            }
        });
    })?;
    bench.same(&db.to_vec()?, &b)
}

fn product(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let (device, side) = (stream.device(), 512);
    let (a, mut c) = (noise(side * side), vec![0.0f32; side * side]);
    let (da, mut dc) = (device.grid_from(&a, [side, side])?, device.grid_zeros::<f32, 2>([side, side])?);
    bench.with_peers(
        Family::Windows,
        ("matmul, 512²", &format!("matmul {side}")),
        stream,
        &mut || matmul(stream, &da, &da, &mut dc),
        &mut || {
            c.par_chunks_mut(side).zip(a.par_chunks(side)).for_each(|(c, row)| {
                c.fill(0.0);
                for (factor, b) in row.iter().zip(a.chunks(side)) {
                    c.iter_mut().zip(b).for_each(|(c, b)| *c += factor * b);
                }
            });
        },
    )?;
    bench.same(&dc.to_vec()?, &c)
}

fn sorting(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let (device, n) = (stream.device(), 10_000_000);
    let x: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761).rotate_left(i % 7)).collect();
    let (mut keys, mut by_hand) = (device.buffer_from(&x)?, x.clone());
    let mut kernel = || {
        keys.copy_from(&x)?;
        sort(stream, &mut keys, Order::Ascending)
    };
    bench.pair(Family::Sorting, "sort, 10M u32, unstable sort", stream, &mut kernel, &mut || {
        by_hand.copy_from_slice(&x);
        by_hand.par_sort_unstable();
    })?;
    bench.same(&keys.to_vec()?, &by_hand)
}
