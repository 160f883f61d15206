use anabranch::prelude::*;

#[kernel]
fn copy(to: &mut [f32], from: &[f32], n: usize) {
    for i in par(0..n) {
        to[i] = from[i];
    }
}

#[kernel]
fn k(x: &mut [f32], y: &[f32]) {
    copy(&mut x, &x, 3);
    copy(&mut x[..3], &x[3..], 3);
    copy(&mut x, &y, 3);
}

fn main() {}
