use anabranch::prelude::*;
use std::sync::atomic::AtomicU32;

mod mine {
    #![allow(non_upper_case_globals)]
    pub const Relaxed: std::sync::atomic::Ordering = std::sync::atomic::Ordering::SeqCst;
}

#[kernel]
fn an_ordering_of_ones_own(cells: &[AtomicU32], n: usize) {
    for _ in par(0..n) {
        cells[0].fetch_add(1, mine::Relaxed);
    }
}

fn main() {}
