//! What all iterations and groups change together.
use anabranch::prelude::*;
use std::sync::atomic;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering, Ordering::Relaxed};

/// A histogram, which without atomics races.
#[kernel]
fn histogram(keys: &[u32], bins: &[AtomicU32]) {
    for i in par(0..keys.len()) {
        bins[keys[i] as usize % bins.len()].fetch_add(1, Relaxed);
    }
}

/// A reduction into one cell, by a float.
#[kernel]
fn total(x: &[f32], sum: &[AtomicF32]) {
    for i in par(0..x.len()) {
        sum[0].fetch_add(x[i], Ordering::Relaxed);
    }
}

/// Two groups accumulate into one buffer.
#[kernel]
fn accumulate(x: &[i32], y: &[i32], sums: &[AtomicI32]) {
    stream_parallel! {
        'xs: { for i in par(0..x.len()) { sums[i % 4].fetch_add(x[i], Relaxed); } }
        'ys: { for i in par(0..y.len()) { sums[i % 4].fetch_sub(y[i], atomic::Ordering::Relaxed); } }
    }
}

/// Appends, by a counter: each iteration that appends has a place of its own, which the compiler
/// cannot know.
#[kernel]
fn append(x: &[f32], out: &mut [f32], used: &[AtomicU32]) {
    for i in par(0..x.len()) {
        if x[i] > 0.0 {
            let at = used[0].fetch_add(1, Relaxed) as usize;
            // SAFETY: no two iterations get the same number.
            unsafe { out[at] = x[i] };
        }
    }
}

/// Renamed, split, and in nested groups.
#[kernel]
fn renamed(n: usize, cells: &[AtomicU64]) {
    let all = cells;
    let (lo, hi) = all.split_at(n / 2);
    stream_parallel! {
        {
            for i in par(0..n / 2) { lo[i].fetch_max(i as u64, Relaxed); }
            stream_parallel! {
                { for i in par(0..n / 2) { hi[i].store(1, Relaxed); } }
                { for i in par(0..n / 2) { hi[0].fetch_or(i as u64, Relaxed); } }
            }
        }
        { for _ in par(0..n) { all[0].swap(7, Relaxed); } }
    }
}

/// Locks nothing, waits for nobody: the least value with its index in one number.
#[device]
fn least(best: &AtomicU64, value: u32, index: u32) {
    let mine = (value as u64) << 32 | index as u64;
    let mut old = (*best).load(r#Relaxed);
    while mine < old && best.compare_exchange_weak(old, mine, Relaxed, Relaxed).is_err() {
        old = best.load(Relaxed);
    }
}

#[kernel]
fn arg_min(x: &[u32], best: &[AtomicU64]) {
    for i in par(0..x.len()) {
        least(&best[0], x[i], i as u32);
    }
}

/// On the host, too.
fn on_the_host() {
    let best = AtomicU64::new(u64::MAX);
    least(&best, 3, 1);
    least(&best, 2, 5);
    assert_eq!(best.into_inner(), 2 << 32 | 5);
}

fn main() -> anabranch::Result<()> {
    on_the_host();
    let device = Device::cpu();
    let stream = device.default_stream();
    let keys = device.buffer_from(&[1u32, 4, 1, 7])?;
    let mut bins = device.zeros::<u32>(3)?;
    histogram(&stream, &keys, &mut bins)?;
    assert_eq!(bins.to_vec()?, [0, 4, 0]);
    let x = device.buffer_from(&[0.5f32; 100])?;
    let mut sum = device.zeros::<f32>(1)?;
    total(&stream, &x, &mut sum)?;
    assert_eq!(sum.to_vec()?, [50.0]);
    let ints = device.buffer_from(&[3i32; 40])?;
    let mut sums = device.zeros::<i32>(4)?;
    accumulate(&stream, &ints, &ints, &mut sums)?;
    assert_eq!(sums.to_vec()?, [0; 4]);
    let (mut out, mut used) = (device.zeros::<f32>(100)?, device.zeros::<u32>(1)?);
    append(&stream, &x, &mut out, &mut used)?;
    assert_eq!((out.to_vec()?, used.to_vec()?), (vec![0.5; 100], vec![100]));
    let mut cells = device.zeros::<u64>(8)?;
    renamed(&stream, 8, &mut cells)?;
    let mut best = device.buffer_from(&[u64::MAX])?;
    arg_min(&stream, &keys, &mut best)?;
    assert_eq!(best.to_vec()?, [1 << 32]);
    Ok(())
}
