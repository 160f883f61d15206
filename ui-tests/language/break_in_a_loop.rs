use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    for i in par(0..n) {
        if y[i] > 0.5 {
            break;
        }
        x[i] = 1.0;
    }
}

fn main() {}
