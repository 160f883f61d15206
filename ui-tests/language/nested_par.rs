use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    for i in par(0..n) {
        for j in par(0..3) {
            x[i] += j as f32;
        }
    }
}

fn main() {}
