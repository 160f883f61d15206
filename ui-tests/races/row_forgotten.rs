// Every row writes the first one.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32], h: usize, w: usize) {
    for (row, column) in par((0..h, 0..w)) {
        y[column] = 2.0 * x[row * w + column];
    }
}

fn main() {}
