// Variables of a block are made by `let`.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for block in par_blocks(0..x.len()).threads(64) {
        let one = 1.0 + block.each(0.0);
        let first = block.shared([0.0; 64])[0];
        x[block.index()] = one + first;
    }
}

fn main() {}
