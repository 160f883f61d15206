use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    for i in par(0..n) {
        x[i] = std::f32::consts::PI;
    }
}

fn main() {}
