use anabranch::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

#[kernel]
fn small(cells: &[AtomicU8], n: usize) {
    for _ in par(0..n) {
        cells[0].fetch_add(1, Relaxed);
    }
}

#[device]
fn flag(cell: &AtomicBool) {
    cell.store(true, Relaxed);
}

fn main() {}
