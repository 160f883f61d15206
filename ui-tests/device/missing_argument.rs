use anabranch::prelude::*;

#[device]
fn wave(x: f32, y: f32) -> f32 {
    x.sin() + y
}

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for i in par(0..n) {
        x[i] = wave(x[i]);
    }
}

fn main() {}
