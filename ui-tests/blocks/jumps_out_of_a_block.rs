// All blocks run.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for block in par_blocks(0..x.len()).threads(64) {
        let b = block.index();
        if x[b] > 1.0 {
            break;
        }
        if x[b] > 0.5 {
            return;
        }
        x[b] = 1.0;
    }
}

fn main() {}
