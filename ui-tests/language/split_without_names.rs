use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    let parts = x.split_at_mut(3);
    let _ = parts;
    for i in par(0..n) {
        x[i] = 1.0;
    }
}

fn main() {}
