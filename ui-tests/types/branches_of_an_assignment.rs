use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    for i in par(0..n) {
        x[i] = if y[i] > 0.5 { 1.0 } else { false };
    }
}

fn main() {}
