use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    for i in par(0..n) {
        let f = |v| v + 1.0;
        x[i] = f(y[i]);
    }
}

fn main() {}
