// A block is no value.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for block in par_blocks(0..x.len()).threads(64) {
        let other = block;
        x[other.index()] = 1.0;
    }
}

fn main() {}
