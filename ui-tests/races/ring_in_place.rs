// A rotation in place.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    let n = x.len();
    for i in par(0..n) {
        x[i] = x[(i + 1) % n];
    }
}

fn main() {}
