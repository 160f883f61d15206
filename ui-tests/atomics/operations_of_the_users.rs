use anabranch::atomic::AtomicF32;
use anabranch::prelude::*;
use std::sync::atomic::Ordering;

trait Bits {
    fn fetch_or(&self, value: f32, order: Ordering) -> f32;
}
impl Bits for AtomicF32 {
    fn fetch_or(&self, value: f32, _: Ordering) -> f32 {
        value
    }
}

#[kernel]
fn a_method_of_ones_own(cells: &[AtomicF32], n: usize) {
    for _ in par(0..n) {
        cells[0].fetch_or(1.0, Ordering::Relaxed);
    }
}

fn main() {}
