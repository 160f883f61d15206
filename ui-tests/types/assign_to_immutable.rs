use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    for i in par(0..n) {
        let v = 1.0;
        v += y[i];
        x[i] = v;
    }
}

fn main() {}
