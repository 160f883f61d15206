// The product overwrites a factor.
use anabranch::prelude::*;

#[kernel]
fn k(a: &mut [f32], b: &[f32], n: usize) {
    for (i, j) in par((0..n, 0..n)) {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[i * n + k] * b[k * n + j];
        }
        a[i * n + j] = sum;
    }
}

fn main() {}
