use anabranch::prelude::*;

#[device]
fn first(a: &[f32]) -> f32 {
    a[0]
}

#[kernel]
fn k(x: &mut [f32], y: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = first(y);
    }
}

fn main() {}
