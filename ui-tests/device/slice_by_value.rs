use anabranch::prelude::*;

#[device]
fn f(x: [f32]) -> f32 {
    x[0]
}

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = f(x[i]);
    }
}

fn main() {}
