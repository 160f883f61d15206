// Numbers of threads and barriers are not asked of a block.
use anabranch::prelude::*;

#[kernel]
fn number(x: &mut [f32]) {
    for block in par_blocks(0..x.len()).threads(64) {
        x[block.index()] = block.size() as f32;
    }
}

#[kernel]
fn barrier(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        let mut line = block.shared([0.0; 64]);
        for t in block.threads() {
            line[t] = x[b * 64 + t];
            block.sync();
            x[b * 64 + t] = line[63 - t];
        }
    }
}

#[kernel]
fn barrier_of_cuda(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        let mut line = block.shared([0.0; 64]);
        for t in block.threads() {
            line[t] = x[b * 64 + t];
            __syncthreads();
            x[b * 64 + t] = line[t];
        }
    }
}

fn main() {}
