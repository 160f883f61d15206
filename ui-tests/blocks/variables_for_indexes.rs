// The loop's variable is the block, and not its index.
use anabranch::prelude::*;

#[kernel]
fn indexes(x: &mut [f32], h: usize, w: usize) {
    for (y, z) in par_blocks((0..h, 0..w)).threads(64) {
        x[y * w + z] = 1.0;
    }
}

#[kernel]
fn index(x: &mut [f32]) {
    for b in par_blocks(0..x.len()).threads(64) {
        x[b] = 1.0;
    }
}

fn main() {}
