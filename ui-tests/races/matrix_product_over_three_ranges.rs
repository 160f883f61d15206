// The inner sum runs in parallel, too.
use anabranch::prelude::*;

#[kernel]
fn k(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    for (i, j, k) in par((0..n, 0..n, 0..n)) {
        c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

fn main() {}
