// Neighbours are read before or after they were written.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(1..x.len() - 1) {
        x[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
    }
}

fn main() {}
