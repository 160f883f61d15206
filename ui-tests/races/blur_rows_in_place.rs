// A blur along the rows, in place.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], h: usize, w: usize) {
    for (row, column) in par((0..h, 1..w)) {
        x[row * w + column] = 0.5 * (x[row * w + column - 1] + x[row * w + column]);
    }
}

fn main() {}
