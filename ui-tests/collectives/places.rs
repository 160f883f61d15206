use anabranch::prelude::*;

#[kernel]
fn in_phases(x: &mut [f32], n: usize) {
    for block in par_blocks(0..n).threads(64) {
        for t in block.threads() {
            x[block.index() * 64 + t] = block.sum(t as f32);
        }
    }
}

#[kernel]
fn with_effects(x: &mut [f32], n: usize) {
    for block in par_blocks(0..n).threads(64) {
        let mut own = block.each(0.0);
        let sum = block.sum({
            own += 1.0;
            own
        });
        x[block.count(own > sum)] = 1.0;
    }
}

#[kernel]
fn of_nothing(x: &mut [f32], n: usize) {
    for block in par_blocks(0..n).threads(64) {
        x[block.index()] = block.mean(1.0);
        let mut at = block.exclusive_sum(1);
        let s = block.inclusive_sum(1) + 2;
    }
}

fn main() {}
