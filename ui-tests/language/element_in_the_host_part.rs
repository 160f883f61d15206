use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    let first = x[0];
    let _ = (first, y[1]);
    for i in par(0..n) {
        x[i] = 1.0;
    }
}

fn main() {}
