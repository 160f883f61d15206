// Descend's first example, a transposed copy with the wrong index.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32], h: usize, w: usize) {
    for (row, column) in par((0..h, 0..w)) {
        y[column + row] = x[row * w + column];
    }
}

fn main() {}
