// A blur along the columns, in place.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], h: usize, w: usize) {
    for (row, column) in par((1..h, 0..w)) {
        x[row * w + column] = 0.5 * (x[(row - 1) * w + column] + x[row * w + column]);
    }
}

fn main() {}
