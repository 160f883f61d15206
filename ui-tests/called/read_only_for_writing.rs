use anabranch::prelude::*;

use std::sync::atomic::AtomicU32;

#[kernel]
fn copy(to: &mut [f32], from: &[f32], n: usize) {
    for i in par(0..n) {
        to[i] = from[i];
    }
}

#[kernel]
fn k(x: &[f32], y: &[f32], bins: &[AtomicU32]) {
    copy(&mut x, &y, 3);
    copy(&mut bins, &y, 3);
}

fn main() {}
