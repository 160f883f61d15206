// Sums along columns that lean to the right.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], h: usize, w: usize) {
    for column in par(0..w - 1) {
        for row in 1..h {
            x[row * w + column] += x[(row - 1) * w + column + 1];
        }
    }
}

fn main() {}
