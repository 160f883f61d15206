use anabranch::prelude::*;

#[device]
fn wave(x: f32) -> f32 {
    x.sin()
}

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        let f = wave;
        x[i] = 1.0;
    }
}

fn main() {}
