// A loop over something of a block that is no phase.
use anabranch::prelude::*;

#[kernel]
fn two_arguments(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        for (i, j) in block.par(0..8, 0..8) {
            x[b * 64 + i * 8 + j] = 1.0;
        }
    }
}

#[kernel]
fn another_name(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        for t in block.lanes() {
            x[b * 64 + t] = 1.0;
        }
    }
}

#[kernel]
fn with_a_method(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        for t in block.threads().rev() {
            x[b * 64 + t] = 1.0;
        }
    }
}

fn main() {}
