use anabranch::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

#[kernel]
fn operations(cells: &[AtomicU32], x: &mut [u32], y: &[u32]) {
    for i in par(0..x.len()) {
        cells[0].fetch_update(Relaxed, Relaxed, |old| Some(old + 1));
        cells[1].compare_exchange(0, 1, Relaxed, Relaxed);
        x[i].fetch_add(1, Relaxed);
        x[i] = y[i].load(Relaxed);
        cells[2].sqrt();
    }
}

fn main() {}
