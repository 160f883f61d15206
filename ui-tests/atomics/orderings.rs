use anabranch::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::*};

#[kernel]
fn orderings(cells: &[AtomicU32], x: &mut [u32]) {
    for i in par(0..x.len()) {
        x[i] = cells[0].fetch_add(1, SeqCst);
        x[i] += cells[0].load(Acquire);
        cells[1].store(1, std::sync::atomic::Ordering::Release);
        cells[2].fetch_add(1);
        cells[3].compare_exchange(0, 1, AcqRel, Relaxed).is_ok();
        cells[4].load(x[i]);
    }
}

fn main() {}
