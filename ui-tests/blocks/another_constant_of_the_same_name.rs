use anabranch::prelude::*;

mod other {
    pub const TILE: usize = 32;
}

#[kernel]
fn clear(x: &mut [f32]) {
    const TILE: usize = 16;
    if x.len() > TILE {
        use other::*;
        for block in par_blocks(0..x.len() / TILE).threads(TILE) {
            for t in block.threads() {
                x[block.index() * TILE + t] = 0.0;
            }
        }
    }
}

fn main() {}
