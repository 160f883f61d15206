// A variable of a block has a name and a value.
use anabranch::prelude::*;

#[kernel]
fn a_type(x: &mut [f32]) {
    for block in par_blocks(0..x.len()).threads(64) {
        let line: [f32; 64] = block.shared([0.0; 64]);
        x[block.index()] = line[0];
    }
}

#[kernel]
fn two_names(x: &mut [f32]) {
    for block in par_blocks(0..x.len()).threads(64) {
        let (low, high) = block.each((0.0, 0.0));
        for t in block.par(0..1) {
            x[block.index()] = low + high;
        }
    }
}

#[kernel]
fn no_value(x: &mut [f32]) {
    for block in par_blocks(0..x.len()).threads(64) {
        let line = block.shared();
        x[block.index()] = line[0];
    }
}

fn main() {}
