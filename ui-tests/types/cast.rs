use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    for i in par(0..n) {
        x[i] = (y[i] > 0.5) as f32;
    }
}

fn main() {}
