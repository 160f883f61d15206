// Phases do not nest.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(8) {
        let b = block.index();
        for y in block.threads() {
            for x_in in block.par(0..8) {
                x[b * 64 + y * 8 + x_in] = 1.0;
            }
        }
    }
}

fn main() {}
