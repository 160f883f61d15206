// Gauss's elimination, whose pivot row changes with the others.
use anabranch::prelude::*;

#[kernel]
fn k(a: &mut [f32], n: usize, k: usize) {
    for row in par(0..n) {
        let factor = a[row * n + k];
        for column in 0..n {
            a[row * n + column] -= factor * a[k * n + column];
        }
    }
}

fn main() {}
