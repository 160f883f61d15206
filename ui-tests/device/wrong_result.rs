use anabranch::prelude::*;

#[device]
fn wave(x: f32) -> f64 {
    x as f64
}

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for i in par(0..n) {
        x[i] = wave(x[i]);
    }
}

fn main() {}
