// An inclusive range makes each block one too long.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], blocks: usize) {
    for block in par(0..blocks) {
        for k in 0..=64 {
            x[64 * block + k] = block as f32;
        }
    }
}

fn main() {}
