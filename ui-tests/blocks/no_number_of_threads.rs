// How many threads a block has is not said, or not as a loop over blocks says it.
use anabranch::prelude::*;

#[kernel]
fn nothing(x: &mut [f32]) {
    for block in par_blocks(0..x.len()) {
        x[block.index()] = 1.0;
    }
}

#[kernel]
fn of_a_plain_loop(x: &mut [f32]) {
    for block in par_blocks(0..x.len()).block(64) {
        x[block.index()] = 1.0;
    }
}

#[kernel]
fn of_blocks(x: &mut [f32]) {
    for i in par(0..x.len()).threads(64) {
        x[i] = 1.0;
    }
}

fn main() {}
