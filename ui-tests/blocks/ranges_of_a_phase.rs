// A phase over what is no range with two ends.
use anabranch::prelude::*;

#[kernel]
fn inclusive(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 100).threads(64) {
        let b = block.index();
        for i in block.par(0..=99) {
            x[b * 100 + i] = 1.0;
        }
    }
}

#[kernel]
fn without_an_end(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 100).threads(64) {
        let b = block.index();
        for i in block.par(b..) {
            x[i] = 1.0;
        }
    }
}

#[kernel]
fn number(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 100).threads(64) {
        let b = block.index();
        for i in block.par(100) {
            x[b * 100 + i] = 1.0;
        }
    }
}

#[kernel]
fn elements(x: &[f32], y: &mut [f32]) {
    for block in par_blocks(0..y.len()).threads(64) {
        let mut all = block.shared([0.0; 64]);
        for v in block.par(x) {
            all[0] += v;
        }
        y[block.index()] = all[0];
    }
}

fn main() {}
