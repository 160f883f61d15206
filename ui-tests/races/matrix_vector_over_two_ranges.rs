// The sum of a row runs in parallel.
use anabranch::prelude::*;

#[kernel]
fn k(a: &[f32], x: &[f32], y: &mut [f32], h: usize, w: usize) {
    for (row, column) in par((0..h, 0..w)) {
        y[row] += a[row * w + column] * x[column];
    }
}

fn main() {}
