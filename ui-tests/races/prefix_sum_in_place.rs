// A running sum: each element needs the one before.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(1..x.len()) {
        x[i] += x[i - 1];
    }
}

fn main() {}
