use anabranch::prelude::*;

#[kernel("fast")]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = 1.0;
    }
}

#[device(crate = "anabranch")]
fn f(x: f32) -> f32 {
    x
}

fn main() {}
