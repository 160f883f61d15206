//! The closure of a reduction reads.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use anabranch::prelude::*;

#[kernel]
fn writes(x: &mut [f32], total: &mut [f32]) {
    total[0] = par(0..x.len())
        .map(|i| {
            x[i] *= 2.0;
            x[i]
        })
        .sum();
}

#[kernel]
fn counts(x: &[f32], seen: &[AtomicU32], y: &mut [f32]) {
    for (i, at) in par(0..x.len()).exclusive_sum(|i| {
        seen[0].fetch_add(1, Relaxed);
        x[i]
    }) {
        y[i] = at;
    }
}

fn main() {}
