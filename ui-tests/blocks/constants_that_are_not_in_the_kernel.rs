use anabranch::prelude::*;

const TILE: usize = 16;

#[kernel]
fn clear(x: &mut [f32], y: &mut [f32]) {
    for block in par_blocks(0..x.len() / TILE).threads(TILE) {
        for t in block.threads() {
            x[block.index() * TILE + t] = 0.0;
        }
    }
    for i in par(0..y.len()).block(8 * TILE) {
        y[i] = 0.0;
    }
}

fn main() {}
