use anabranch::prelude::*;

#[device]
fn get(a: f32) -> f32 {
    a
}

#[kernel]
fn k(x: &mut [f32], y: &[f32]) {
    for i in par(0..x.len()) {
        x[i] = get(&y[i]);
    }
}

fn main() {}
