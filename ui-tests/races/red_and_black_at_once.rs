// Gauss and Seidel with both colours in one loop.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for i in par(0..n) {
        x[2 * i] = 0.5 * (x[2 * i] + x[2 * i + 1]);
        x[2 * i + 1] = 0.5 * (x[2 * i + 1] + x[2 * i + 2]);
    }
}

fn main() {}
