// Each pair is swapped by both of its iterations.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for (row, column) in par((0..n, 0..n)) {
        if row != column {
            (x[row * n + column], x[column * n + row]) = (x[column * n + row], x[row * n + column]);
        }
    }
}

fn main() {}
