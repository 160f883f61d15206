use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f64]) {
    for i in par(0..x.len()) {
        x[i] = x[i] * y[i];
    }
}

fn main() {}
