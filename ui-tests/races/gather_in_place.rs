// A permutation applied in place.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], from: &[usize]) {
    for i in par(0..x.len()) {
        x[i] = x[from[i]];
    }
}

fn main() {}
