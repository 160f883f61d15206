// A matrix transposed in place.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for (row, column) in par((0..n, 0..n)) {
        x[row * n + column] = x[column * n + row];
    }
}

fn main() {}
