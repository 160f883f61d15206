// Everything moves one to the left.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len() - 1) {
        x[i] = x[i + 1];
    }
}

fn main() {}
