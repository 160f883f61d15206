// The five-point stencil with one buffer.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], h: usize, w: usize) {
    for (row, column) in par((1..h - 1, 1..w - 1)) {
        let at = row * w + column;
        x[at] = 0.25 * (x[at - 1] + x[at + 1] + x[at - w] + x[at + w]);
    }
}

fn main() {}
