use anabranch::prelude::*;

#[device]
fn set(a: &mut f32) {
    *a = 1.0;
}

#[kernel]
fn k(x: &mut [f32], y: &[f32]) {
    for i in par(0..x.len()) {
        set(&mut y[i]);
        x[i] = 1.0;
    }
}

fn main() {}
