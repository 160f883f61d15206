use anabranch::prelude::*;

#[device]
fn sum(a: &f32, b: f32) -> f32 {
    *a + b
}

#[kernel]
fn k(x: &mut [f32], y: &mut [f32]) {
    for i in par(0..x.len()) {
        y[i] = sum(&x[i], {
            x[i] = 2.0;
            x[i]
        });
    }
}

fn main() {}
