// Transposed in place by swaps, over the whole matrix instead of one triangle.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for (row, column) in par((0..n, 0..n)) {
        let t = x[row * n + column];
        x[row * n + column] = x[column * n + row];
        x[column * n + row] = t;
    }
}

fn main() {}
