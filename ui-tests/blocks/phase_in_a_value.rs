// A phase is a statement.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], marked: bool) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        let mark = if marked {
            for t in block.threads() {
                x[b * 64 + t] = 1.0;
            }
            1.0
        } else {
            2.0
        };
        x[b * 64] = mark;
    }
}

fn main() {}
