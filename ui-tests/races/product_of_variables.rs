// 2 * 3 and 3 * 2.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for (i, j) in par((0..n, 0..n)) {
        x[i * j] = 1.0;
    }
}

fn main() {}
