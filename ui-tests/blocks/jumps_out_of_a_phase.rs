// All iterations of a phase run.
use anabranch::prelude::*;

#[kernel]
fn first_match(x: &[f32], at: &mut [u32]) {
    for block in par_blocks(0..at.len()).threads(64) {
        let b = block.index();
        let mut found = block.shared([0u32; 64]);
        for t in block.threads() {
            if x[b * 64 + t] > 1.0 {
                found[t] = 1;
                break;
            }
        }
        at[b] = found[0];
    }
}

#[kernel]
fn next_round(x: &mut [f32], rounds: usize) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        'rounds: for _ in 0..rounds {
            for t in block.threads() {
                if x[b * 64 + t] > 1.0 {
                    continue 'rounds;
                }
                x[b * 64 + t] += 0.5;
            }
        }
    }
}

#[kernel]
fn all(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        for t in block.threads() {
            if x[b * 64 + t] > 1.0 {
                return;
            }
            x[b * 64 + t] += 0.5;
        }
    }
}

fn main() {}
