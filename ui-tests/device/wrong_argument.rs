use anabranch::prelude::*;

#[device]
fn wave(x: f32) -> f32 {
    x.sin()
}

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for i in par(0..n) {
        x[i] = wave(i);
    }
}

fn main() {}
