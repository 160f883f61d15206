// What threads share is there from the beginning of the block.
use anabranch::prelude::*;

#[kernel]
fn in_a_loop(x: &mut [f32], rounds: usize) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        for _ in 0..rounds {
            let mut line = block.shared([0.0; 64]);
            for t in block.threads() {
                line[t] = x[b * 64 + t];
            }
            for t in block.threads() {
                x[b * 64 + t] = line[63 - t];
            }
        }
    }
}

#[kernel]
fn in_a_phase(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        for t in block.threads() {
            let line = block.shared([0.0; 64]);
            x[b * 64 + t] = line[t];
        }
    }
}

fn main() {}
