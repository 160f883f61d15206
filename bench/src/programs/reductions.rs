//! Reductions and scans, compared with rayon: in the obvious way, and with several accumulators by
//! hand.

use std::ops::AddAssign;

use anabranch::prelude::*;
use rayon::prelude::*;

use super::noise;
use crate::check::Value;
use crate::families::Family;
use crate::kernels::{benchmarks as k, dot};
use crate::measure::{Bench, Failure};

/// The number of elements in a thread's chunk, and the number of accumulators, as many as a
/// processor can add to at once.
const CHUNK: usize = 1 << 14;
const LANES: usize = 32;

pub(super) fn run(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    for (n, name) in [(100_000, "100k"), (10_000_000, "10M")] {
        products(bench, stream, n, name)?;
    }
    totals(bench, stream)?;
    let numbers: Vec<u32> = (0..10_000_000u32).map(|i| i.wrapping_mul(2_654_435_761) >> 19).collect();
    scan(bench, stream, "scan, 10M u32", &numbers)?;
    scan(bench, stream, "scan, 10M f32", &noise(10_000_000))
}

/// The sum of a chunk, with several accumulators.
fn accumulated<T: Copy + Default + AddAssign>(len: usize, value: impl Fn(usize) -> T) -> T {
    let mut sums = [T::default(); LANES];
    for first in (0..len / LANES * LANES).step_by(LANES) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            *sum += value(first + lane);
        }
    }
    let mut sum = T::default();
    sums.into_iter().chain((len / LANES * LANES..len).map(value)).for_each(|part| sum += part);
    sum
}

fn products(bench: &mut Bench, stream: &Stream, n: usize, name: &str) -> Result<(), Failure> {
    let (device, x, y) = (stream.device(), noise(n), noise(2 * n));
    let y = &y[n..];
    let (dx, dy, mut total) = (device.buffer_from(&x)?, device.buffer_from(y)?, device.zeros::<f32>(1)?);
    let mut sum = 0.0;
    bench.pair(
        Family::Reductions,
        &format!("dot, {name}, accumulators"),
        stream,
        &mut || dot(stream, &dx, &dy, &mut total),
        &mut || {
            let chunks = x.par_chunks(CHUNK).zip(y.par_chunks(CHUNK));
            sum = chunks.map(|(x, y)| accumulated(x.len(), |i| x[i] * y[i])).sum();
        },
    )?;
    bench.near(&total.to_vec()?, &[sum])?;
    bench.pair(
        Family::Reductions,
        &format!("dot, {name}, map and sum"),
        stream,
        &mut || dot(stream, &dx, &dy, &mut total),
        &mut || sum = x.par_iter().zip(y).map(|(x, y)| x * y).sum(),
    )?;
    bench.near(&total.to_vec()?, &[sum])
}

fn totals(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let (device, x) = (stream.device(), noise(10_000_000));
    let (dx, mut total) = (device.buffer_from(&x)?, device.zeros::<f32>(1)?);
    let mut sum = 0.0;
    bench.with_peers(
        Family::Reductions,
        ("sum, 10M f32", &format!("sum {}", x.len())),
        stream,
        &mut || k::total(stream, &mut total, &dx),
        &mut || sum = x.par_iter().sum(),
    )?;
    bench.near(&total.to_vec()?, &[sum])?;
    let x: Vec<u32> = (0..10_000_000u32).map(|i| i.wrapping_mul(2_654_435_761) >> 24).collect();
    let (dx, mut total) = (device.buffer_from(&x)?, device.zeros::<u32>(1)?);
    let mut sum = 0u32;
    bench.pair(Family::Reductions, "sum, 10M u32", stream, &mut || k::total(stream, &mut total, &dx), &mut || {
        sum = x.par_iter().sum()
    })?;
    bench.same(&total.to_vec()?, &[sum])
}

/// Two passes by hand: the sum of each chunk, then the chunks with the sum before them.
fn scan<T>(bench: &mut Bench, stream: &Stream, name: &str, x: &[T]) -> Result<(), Failure>
where
    T: Num + Zeroed + AddAssign + Default + Value,
{
    let (device, n) = (stream.device(), x.len());
    let (dx, mut dout) = (device.buffer_from(x)?, device.zeros::<T>(n)?);
    let (mut out, mut sums) = (vec![T::default(); n], vec![T::default(); n.div_ceil(CHUNK)]);
    bench.pair(Family::Algorithms, name, stream, &mut || k::sums_up_to(stream, &mut dout, &dx), &mut || {
        sums.par_iter_mut().zip(x.par_chunks(CHUNK)).for_each(|(sum, x)| *sum = accumulated(x.len(), |i| x[i]));
        let mut before = T::default();
        for sum in &mut sums {
            before += std::mem::replace(sum, before);
        }
        out.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK)).zip(&sums).for_each(|((out, x), before)| {
            let mut sum = *before;
            for (out, x) in out.iter_mut().zip(x) {
                sum += *x;
                *out = sum;
            }
        });
    })?;
    bench.near(&dout.to_vec()?, &out)
}
