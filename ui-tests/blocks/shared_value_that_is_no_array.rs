// Threads share arrays.
use anabranch::prelude::*;

#[kernel]
fn a_number(x: &mut [f32]) {
    for block in par_blocks(0..x.len()).threads(64) {
        let mut sum = block.shared(0.0);
        x[block.index()] = 1.0;
    }
}

#[kernel]
fn a_list(x: &mut [f32]) {
    for block in par_blocks(0..x.len()).threads(64) {
        let mut weights = block.shared([0.25, 0.5, 0.25]);
        x[block.index()] = weights[1];
    }
}

fn main() {}
