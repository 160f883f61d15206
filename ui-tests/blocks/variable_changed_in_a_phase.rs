// What belongs to the block has one value for all threads.
use anabranch::prelude::*;

#[kernel]
fn count(x: &[f32], counts: &mut [u32]) {
    for block in par_blocks(0..counts.len()).threads(64) {
        let b = block.index();
        let mut count = 0;
        for i in block.par(b * 1000..b * 1000 + 1000) {
            if x[i] > 0.0 {
                count += 1;
            }
        }
        counts[b] = count;
    }
}

#[kernel]
fn array(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        let mut line = [0.0; 64];
        for t in block.threads() {
            line[t] = x[b * 64 + t];
        }
        for t in block.threads() {
            x[b * 64 + t] = line[63 - t];
        }
    }
}

fn main() {}
