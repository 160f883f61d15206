use anabranch::prelude::*;

#[kernel]
fn copy(to: &mut [f32], from: &[f32], n: usize) {
    for i in par(0..n) {
        to[i] = from[i];
    }
}

#[kernel]
fn k(x: &mut [f32], y: &[f32]) {
    copy(&x, &y, 3);
}

fn main() {}
