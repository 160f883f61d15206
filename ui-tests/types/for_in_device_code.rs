use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    for i in par(0..n) {
        for j in 0..y[i] {
            x[i] += j;
        }
    }
}

fn main() {}
