use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    for i in par(0..n) {
        let v;
        v = y[i];
        x[i] = v;
    }
}

fn main() {}
