// All elements of a diagonal are one.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for (i, j) in par((0..n, 0..n)) {
        x[n + i - j] = 1.0;
    }
}

fn main() {}
