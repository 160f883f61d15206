// A number of threads that no block has.
use anabranch::prelude::*;

#[kernel]
fn a_value(x: &mut [f32], threads: usize) {
    for block in par_blocks(0..x.len()).threads(threads) {
        x[block.index()] = 1.0;
    }
}

#[kernel]
fn too_many(x: &mut [f32]) {
    for block in par_blocks(0..x.len()).threads((64, 64)) {
        x[block.index()] = 1.0;
    }
}

#[kernel]
fn none(x: &mut [f32]) {
    for block in par_blocks(0..x.len()).threads(0) {
        x[block.index()] = 1.0;
    }
}

#[kernel]
fn of_four_dimensions(x: &mut [f32]) {
    for block in par_blocks(0..x.len()).threads((2, 2, 2, 2)) {
        x[block.index()] = 1.0;
    }
}

fn main() {}
