// A block reads what the next one writes: no barrier makes blocks wait for each other.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &mut [f32], n: usize) {
    for block in par_blocks(0..n).threads(64) {
        let b = block.index();
        for t in block.threads() {
            x[b * 64 + t] = 1.0;
        }
        for t in block.threads() {
            y[b * 64 + t] = x[(b + 1) * 64 + t];
        }
    }
}

fn main() {}
