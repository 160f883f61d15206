use anabranch::prelude::*;

const THREADS: usize = 128;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for i in par(0..n).block(16, 16) {
        x[i] = 1.0;
    }
    for i in par(0..n).block((16, 16)) {
        x[i] = 1.0;
    }
    for i in par(0..n).block(2048) {
        x[i] = 1.0;
    }
    for i in par(0..n).block(THREADS) {
        x[i] = 1.0;
    }
    for i in par(0..n).grid(4).block(256) {
        x[i] = 1.0;
    }
    for i in par(0..n).block() {
        x[i] = 1.0;
    }
}

#[kernel]
fn variables(x: &mut [f32], w: usize, h: usize) {
    for (row, column) in par(0..h) {
        x[row * w + column] = 1.0;
    }
}

fn main() {}
