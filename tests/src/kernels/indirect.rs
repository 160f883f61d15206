//! Indexes that come from memory: the device checks the accesses that have them, and no others.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use anabranch::prelude::*;

/// `y = A x`, where row `r` of `A` has the elements `rows[r]..rows[r + 1]` of `vals`, in the
/// columns of `cols`.
#[kernel]
pub fn sparse_product(rows: &[usize], cols: &[u32], vals: &[f32], x: &[f32], y: &mut [f32]) {
    for r in par(0..y.len()) {
        let (start, end) = (rows[r], rows[r + 1]);
        let mut sum = 0.0;
        for k in start..end {
            sum += vals[k] * x[cols[k] as usize];
        }
        y[r] = sum;
    }
}

/// `y[i] = x[from[i]]`.
#[kernel]
pub fn gather(from: &[u32], x: &[f32], y: &mut [f32]) {
    for i in par(0..y.len()) {
        let k = from[i] as usize;
        y[i] = x[k];
    }
}

/// The same where there is such an element: then nothing is left to check.
#[kernel(bounds = "proved")]
pub fn gather_what_there_is(from: &[u32], x: &[f32], y: &mut [f32]) {
    for i in par(0..y.len()) {
        let k = from[i] as usize;
        if k < x.len() {
            y[i] = x[k];
        }
    }
}

/// Counts how often each number stands in `from`, which holds any.
#[kernel]
pub fn histogram(from: &[u32], counts: &[AtomicU32]) {
    for i in par(0..from.len()) {
        let bin = from[i] as usize;
        counts[bin].fetch_add(1, Relaxed);
    }
}

/// A step of a bitonic network: each element is compared with its partner, and the first of the two
/// writes both.
#[kernel]
pub fn partners(x: &[u32], y: &mut [u32], stride: usize) {
    for i in par(0..y.len()) {
        let partner = i ^ stride;
        y[i] = if i < partner { x[i].min(x[partner]) } else { x[i].max(x[partner]) };
    }
}

/// The sum of what is near each element: `counts[i]` elements, whose numbers are in rows of `most`.
#[kernel]
pub fn near(counts: &[u32], numbers: &[u32], most: u32, x: &[f32], y: &mut [f32]) {
    for i in par(0..y.len()) {
        let first = i as u32 * most;
        let mut sum = 0.0;
        for k in 0..counts[i] {
            sum += x[numbers[(first + k) as usize] as usize];
        }
        y[i] = sum;
    }
}

/// The place of the first 0 from a place on; the loop would go on far past the last element.
#[kernel]
pub fn first_zero(starts: &[u32], x: &[u32], y: &mut [u32]) {
    for i in par(0..y.len()) {
        for k in starts[i]..u32::MAX {
            if x[k as usize] == 0 {
                y[i] = k;
                break;
            }
        }
    }
}

/// Sums of elements whose numbers wrap at 256.
#[kernel]
pub fn around(counts: &[u8], from: u8, x: &[u32], y: &mut [u32]) {
    for i in par(0..y.len()) {
        let mut sum = 0;
        for k in 0..counts[i] {
            sum += x[(k + from) as usize];
        }
        y[i] = sum;
    }
}

/// Elements whose numbers are made of variables that hide others of their names.
#[kernel]
pub fn hidden(ends: &[u32], from: usize, x: &[u32], y: &mut [u32]) {
    for i in par(0..y.len()) {
        let (a, b) = (from, 2 * from);
        let mut sum = 0;
        for k in 0..ends[i] as usize {
            let (a, c) = (1, a + k);
            let b = b + a;
            let (b, a) = (a, b);
            sum += x[a + k - 1] + x[b + c];
        }
        y[i] = sum + b as u32;
    }
}

super::sources!(near, first_zero, around, hidden, sparse_product, gather, gather_what_there_is, histogram, partners);
