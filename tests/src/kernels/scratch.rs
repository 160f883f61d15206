//! Elements that belong to the launch.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use anabranch::prelude::*;

use super::library::copy;

/// They are zero at first, wherever they are made.
#[kernel]
pub fn begins_with_zeros(out: &mut [u64], n: usize) {
    let mut before = scratch::<u64>(n);
    for round in 0..3 {
        // The same memory as in the round before, most likely.
        let mut own = scratch::<u64>(n);
        for i in par(0..n) {
            before[i] += own[i];
            own[i] = u64::MAX - round;
        }
    }
    for i in par(0..n) {
        out[i] = before[i];
        before[i] = u64::MAX;
    }
}

/// Each group has its own, and all share one that the host part splits. The views swap places with
/// parameters.
#[kernel]
pub fn in_groups(x: &[u32], y: &mut [u32], rounds: usize) {
    let n = x.len();
    let mut halves = scratch::<u32>(2 * n);
    let mut next = scratch(n);
    for _ in 0..rounds {
        let (left, right) = halves.split_at_mut(n);
        stream_parallel! {
            'left: {
                let mut own = scratch::<u32>(n);
                for i in par(0..n) { own[i] += x[i] + y[i]; }
                add(&own, &mut left);
            }
            'right: {
                let mut turned = scratch::<u32>(n);
                for i in par(0..n) { turned[i] = y[n - 1 - i]; }
                let mut copied = scratch::<u32>(n);
                copy(&turned, &mut copied);
                for i in par(0..n) { right[i] += copied[i]; }
            }
        }
        for i in par(0..n) {
            next[i] = left[i].wrapping_mul(3).wrapping_add(right[i]);
        }
        std::mem::swap(&mut y, &mut next);
    }
    // After an odd number of swaps, `next` is the parameter.
    if rounds % 2 == 1 {
        (y, next) = (next, y);
        for i in par(0..n) {
            y[i] = next[i];
        }
    }
}

/// `y += x`.
#[kernel]
pub fn add(x: &[u32], y: &mut [u32]) {
    for i in par(0..x.len()) {
        y[i] += x[i];
    }
}

/// A grid, and counts that a called kernel has as atomics.
#[kernel]
pub fn counted(x: &[u8], rows: &mut [u32], width: usize) {
    let height = rows.len();
    let mut cells = scratch::<u32>([height, width]);
    let mut counts = scratch::<u32>(height);
    for (y, c) in par((0..height, 0..width)) {
        cells[[y, c]] += x[y * width + c] as u32;
    }
    count(&cells, &mut counts);
    for y in par(0..height) {
        rows[y] = counts[y];
    }
}

#[kernel]
fn count(cells: &Grid<u32, 2>, counts: &[AtomicU32]) {
    let [height, width] = cells.shape();
    for (y, x) in par((0..height, 0..width)) {
        counts[y].fetch_add(cells[[y, x]], Relaxed);
    }
}

/// A struct, and a type parameter.
#[kernel]
pub fn doubled<T: Num + Zeroed>(x: &mut [T]) {
    let n = x.len();
    let mut pairs = scratch::<Pair<T>>(n);
    for i in par(0..n) {
        pairs[i].first = x[i];
        pairs[i].second += x[i];
    }
    for i in par(0..n) {
        x[i] = pairs[i].first + pairs[i].second;
    }
}

/// An element of a number's type.
#[device]
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub struct Pair<T> {
    pub first: T,
    pub second: T,
}

/// A grid of which one extent may be 0, and the others anything.
#[kernel]
pub fn of_any_shape(out: &mut [u32], shape: [usize; 3]) {
    let [a, b, c] = shape;
    let mut all = scratch::<u32>([a, b, c]);
    for (x, y, z) in par((0..a.min(1), 0..b.min(1), 0..c.min(1))) {
        all[[x, y, z]] += 1;
    }
    for i in par(0..out.len()) {
        out[i] = 0;
    }
}

/// Elements of no size to speak of, and more than there is memory for.
#[kernel]
pub fn of_any_length(out: &mut [u32], len: usize) {
    let mut all = scratch::<u32>(len);
    let (first, rest) = all.split_at_mut(len / 2);
    for i in par(0..out.len().min(first.len())) {
        out[i] = first[i] + 1;
        first[i] = out[i];
    }
    for i in par(0..rest.len().min(1)) {
        rest[i] += 1;
    }
}

crate::kernels::sources! { begins_with_zeros, in_groups, add, counted, of_any_shape, of_any_length }

/// Instances of the generic kernel.
pub fn typed() -> Vec<crate::kernels::Source> {
    vec![source!("doubled<f32>", doubled, f32), source!("doubled<i128>", doubled, i128)]
}
