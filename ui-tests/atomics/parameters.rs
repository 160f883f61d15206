use anabranch::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

#[kernel]
fn unique(cells: &mut [AtomicU32], n: usize) {
    for _ in par(0..n) {
        cells[0].fetch_add(1, Relaxed);
    }
}

#[kernel]
fn only_one(sum: &AtomicU32, n: usize) {
    for _ in par(0..n) {
        sum.fetch_add(1, Relaxed);
    }
}

#[kernel]
fn an_array(sums: &[AtomicU32; 4], last: AtomicU32, n: usize) {
    for _ in par(0..n) {
        sums[0].fetch_add(1, Relaxed);
    }
}

#[device]
fn by_value(cell: AtomicU32) -> u32 {
    cell.load(Relaxed)
}

#[device]
fn by_unique_reference(cell: &mut AtomicU32) -> u32 {
    cell.load(Relaxed)
}

fn main() {}
