use anabranch::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

#[device]
fn bump(cell: &AtomicU32) {
    cell.fetch_add(1, Relaxed);
}

#[kernel]
fn passed(cells: &[AtomicU32], n: usize) {
    for i in par(0..n) {
        bump(cells[i]);
        bump(&mut cells[i]);
    }
}

#[kernel]
fn halves(cells: &[AtomicU32], n: usize) {
    let (lo, hi) = cells.split_at_mut(n);
    for i in par(0..n) {
        bump(&lo[i]);
        bump(&hi[i]);
    }
}

fn main() {}
