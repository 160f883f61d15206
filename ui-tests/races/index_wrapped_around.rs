// A ring shorter than the loop.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], ring: &mut [f32]) {
    for i in par(0..x.len()) {
        ring[i % 16] = x[i];
    }
}

fn main() {}
