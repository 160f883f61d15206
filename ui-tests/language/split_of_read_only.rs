use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    let (lo, hi) = y.split_at_mut(3);
    let _ = (n, lo.len(), hi.len());
    for i in par(0..n) {
        x[i] = 1.0;
    }
}

fn main() {}
