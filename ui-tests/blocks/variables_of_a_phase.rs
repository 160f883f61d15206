// A phase has a variable for each dimension of its threads or ranges.
use anabranch::prelude::*;

#[kernel]
fn too_many(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        for (y, z) in block.threads() {
            x[b * 64 + y * 8 + z] = 1.0;
        }
    }
}

#[kernel]
fn too_few(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads((8, 8)) {
        let b = block.index();
        for t in block.threads() {
            x[b * 64 + t] = 1.0;
        }
    }
}

fn main() {}
