// The end of a row is the begin of the next.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], h: usize, w: usize) {
    for row in par(0..h) {
        x[row * w] = 1.0;
        x[row * w + w] = 2.0;
    }
}

fn main() {}
