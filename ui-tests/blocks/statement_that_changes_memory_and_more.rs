// One thread runs it: the others would not jump, and not have the new value.
use anabranch::prelude::*;

#[kernel]
fn jump(x: &mut [f32], n: usize) {
    for block in par_blocks(0..x.len()).threads(64) {
        x[block.index()] = if n > 3 { continue } else { 1.0 };
    }
}

#[kernel]
fn variable(x: &mut [f32]) {
    for block in par_blocks(0..x.len()).threads(64) {
        let mut k = 0;
        x[block.index()] = {
            k += 1;
            1.0
        };
        x[block.index()] += k as f32;
    }
}

fn main() {}
