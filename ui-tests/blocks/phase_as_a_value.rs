// Threads and ranges of a block are no values.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        let threads = block.threads();
        let all = block.par(0..64);
        for t in threads {
            x[b * 64 + t] = 1.0;
        }
        for i in all {
            x[b * 64 + i] = 1.0;
        }
    }
}

fn main() {}
