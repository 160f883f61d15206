// All blocks write one element.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], sum: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        for t in 0..64 {
            sum[0] += x[b * 64 + t];
        }
    }
}

fn main() {}
