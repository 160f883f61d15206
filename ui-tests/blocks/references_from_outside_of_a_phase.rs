// A reference or closure for all threads.
use anabranch::prelude::*;

#[kernel]
fn closure(x: &mut [f32], y: &[f32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        let from = |t: usize| y[b * 64 + t];
        for t in block.threads() {
            x[b * 64 + t] = from(t);
        }
    }
}

#[kernel]
fn reference(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        let mut line = block.shared([0.0; 64]);
        let half = &line[..32];
        for t in block.par(0..32) {
            x[b * 64 + t] = half[t];
        }
    }
}

fn main() {}
