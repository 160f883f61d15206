use anabranch::prelude::*;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering::Relaxed};

#[kernel]
fn wrong_value(cells: &[AtomicU32], n: usize) {
    for i in par(0..n) {
        cells[0].fetch_add(i, Relaxed);
    }
}

#[kernel]
fn wrong_result(cells: &[AtomicI64], x: &mut [i32]) {
    for i in par(0..x.len()) {
        x[i] = cells[0].load(Relaxed);
    }
}

#[kernel]
fn no_bits(cells: &[AtomicF32], n: usize) {
    for _ in par(0..n) {
        cells[0].fetch_xor(1.0, Relaxed);
    }
}

fn main() {}
