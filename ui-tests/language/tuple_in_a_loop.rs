use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    for i in par(0..n) {
        let (a, b) = (1.0, 2.0);
        x[i] = a + b;
    }
}

fn main() {}
