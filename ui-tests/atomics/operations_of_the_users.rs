use anabranch::atomic::AtomicF32;
use anabranch::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

trait Bits {
    fn fetch_or(&self, value: f32, order: Ordering) -> f32;
}
impl Bits for AtomicF32 {
    fn fetch_or(&self, value: f32, _: Ordering) -> f32 {
        value
    }
}

mod mine {
    #![allow(non_upper_case_globals)]
    pub const Relaxed: std::sync::atomic::Ordering = std::sync::atomic::Ordering::SeqCst;
}

#[kernel]
fn a_method_of_ones_own(cells: &[AtomicF32], n: usize) {
    for _ in par(0..n) {
        cells[0].fetch_or(1.0, Ordering::Relaxed);
    }
}

#[kernel]
fn an_ordering_of_ones_own(cells: &[AtomicU32], n: usize) {
    for _ in par(0..n) {
        cells[0].fetch_add(1, mine::Relaxed);
    }
}

fn main() {}
