// The last block ends in time, but each reaches into the next.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], blocks: usize, width: usize) {
    let n = x.len();
    for block in par(0..blocks) {
        for i in block * width..(block * width + width + 1).min(n) {
            x[i] = block as f32;
        }
    }
}

fn main() {}
