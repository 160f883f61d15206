use anabranch::prelude::*;

#[kernel]
fn copy(to: &mut [f32], from: &[f32], n: usize) {
    for i in par(0..n) {
        to[i] = from[i];
    }
}

#[kernel]
fn k(x: &mut [f32], y: &[f32]) {
    let (lo, hi) = x.split_at_mut(3);
    copy(&mut lo, &hi, 3);
    copy(&mut x, &lo, 3);
    copy(&mut lo, &y, 3);
}

fn main() {}
