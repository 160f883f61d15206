//! What has the result of a reduction is written, and not what its operation reads.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use anabranch::prelude::*;

#[kernel]
fn only_read(x: &[f32], total: &[f32]) {
    total[0] = par(0..x.len()).map(|i| x[i]).sum();
}

#[kernel]
fn limited(x: &[f32], stats: &mut [f32]) {
    stats[1] = par(0..x.len()).map(|i| x[i]).reduce(0.0, |a, b| a.max(b).min(stats[0]));
}

#[kernel]
fn takes(bins: &[AtomicU32], total: &mut [u32]) {
    total[0] = par(0..bins.len()).map(|i| bins[i].swap(0, Relaxed)).sum();
}

#[device]
fn taken(bin: &AtomicU32) -> u32 {
    bin.swap(0, Relaxed)
}

#[kernel]
fn lends(bins: &[AtomicU32], total: &mut [u32]) {
    total[0] = par(0..bins.len()).map(|i| taken(&bins[i])).sum();
}

#[kernel]
fn sums_up_what_may_change(bins: &[AtomicU32], first: &mut [u32]) {
    for (i, at) in par(0..bins.len()).exclusive_sum(|i| bins[i].load(Relaxed)) {
        first[i] = at;
    }
}

#[kernel]
fn leaves(x: &[i32], y: &mut [i32]) {
    for (i, at) in par(0..x.len()).inclusive_sum(|i| {
        assert!(if x[i] < 0 { continue } else { true });
        x[i]
    }) {
        y[i] = at;
    }
}

#[kernel]
fn leaves_a_pattern(x: &[i32], total: &mut [usize]) {
    total[0] = par(0..x.len()).map(|i| matches!(x[i], a if a > 3 || { return })).count();
}

fn main() {}
