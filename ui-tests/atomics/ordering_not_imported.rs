use anabranch::prelude::*;
use std::sync::atomic::AtomicU32;

#[kernel]
fn count(cells: &[AtomicU32], n: usize) {
    for i in par(0..n) {
        cells[0].fetch_add(i as u32, Relaxed);
    }
}

fn main() {}
