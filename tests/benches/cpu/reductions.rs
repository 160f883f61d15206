//! Reductions and scans, next to the same in rayon: as one writes it who counts on the compiler, and with accumulators by hand.

use std::ops::AddAssign;

use anabranch::prelude::*;
use anabranch_tests::kernels::benchmarks as k;
use anabranch_tests::kernels::reductions::dot;
use rayon::prelude::*;

use super::{noise, pair};

/// Elements of a chunk of a thread, and of these as many accumulators as a processor adds to at once.
const CHUNK: usize = 1 << 14;
const LANES: usize = 32;

pub(super) fn run(stream: &Stream) -> anabranch::Result<()> {
    for (n, name) in [(100_000, "100k"), (10_000_000, "10M")] {
        products(stream, n, name)?;
    }
    totals(stream)?;
    let numbers: Vec<u32> = (0..10_000_000u32).map(|i| i.wrapping_mul(2_654_435_761) >> 19).collect();
    scan(stream, "scan, 10M u32", &numbers)?;
    scan(stream, "scan, 10M f32", &noise(10_000_000))
}

/// The sum of a chunk, by accumulators.
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

/// Of sums of floats in different orders.
fn assert_near(ours: f32, by_hand: f32) {
    assert!((ours - by_hand).abs() <= 1e-4 * by_hand.abs(), "{ours} is not {by_hand}");
}

fn products(stream: &Stream, n: usize, name: &str) -> anabranch::Result<()> {
    let (device, x, y) = (stream.device(), noise(n), noise(2 * n));
    let y = &y[n..];
    let (dx, dy, mut total) = (device.buffer_from(&x)?, device.buffer_from(y)?, device.zeros::<f32>(1)?);
    let mut sum = 0.0;
    pair(
        &format!("dot, {name}, accumulators"),
        &mut || dot(stream, &dx, &dy, &mut total, 0).expect("runs"),
        &mut || {
            let chunks = x.par_chunks(CHUNK).zip(y.par_chunks(CHUNK));
            sum = chunks.map(|(x, y)| accumulated(x.len(), |i| x[i] * y[i])).sum();
        },
    );
    assert_near(total.to_vec()?[0], sum);
    pair(
        &format!("dot, {name}, map and sum"),
        &mut || dot(stream, &dx, &dy, &mut total, 0).expect("runs"),
        &mut || sum = x.par_iter().zip(y).map(|(x, y)| x * y).sum(),
    );
    assert_near(total.to_vec()?[0], sum);
    Ok(())
}

fn totals(stream: &Stream) -> anabranch::Result<()> {
    let (device, x) = (stream.device(), noise(10_000_000));
    let (dx, mut total) = (device.buffer_from(&x)?, device.zeros::<f32>(1)?);
    let mut sum = 0.0;
    pair("sum, 10M f32", &mut || k::total(stream, &mut total, &dx).expect("runs"), &mut || sum = x.par_iter().sum());
    assert_near(total.to_vec()?[0], sum);
    let x: Vec<u32> = (0..10_000_000u32).map(|i| i.wrapping_mul(2_654_435_761) >> 24).collect();
    let (dx, mut total) = (device.buffer_from(&x)?, device.zeros::<u32>(1)?);
    let mut sum = 0u32;
    pair("sum, 10M u32", &mut || k::total(stream, &mut total, &dx).expect("runs"), &mut || sum = x.par_iter().sum());
    assert_eq!(total.to_vec()?, [sum]);
    Ok(())
}

/// Two passes by hand: the sum of each chunk, then the chunks with what is before them.
fn scan<T>(stream: &Stream, name: &str, x: &[T]) -> anabranch::Result<()>
where
    T: Num + Zeroed + AddAssign + Default,
{
    let (device, n) = (stream.device(), x.len());
    let (dx, mut dout) = (device.buffer_from(x)?, device.zeros::<T>(n)?);
    let (mut out, mut sums) = (vec![T::default(); n], vec![T::default(); n.div_ceil(CHUNK)]);
    pair(name, &mut || k::sums_up_to(stream, &mut dout, &dx).expect("runs"), &mut || {
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
    });
    let (ours, by_hand) = (dout.to_vec()?[n - 1], out[n - 1]);
    assert_near(ours.cast::<f32>(), by_hand.cast::<f32>());
    Ok(())
}
