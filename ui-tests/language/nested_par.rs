use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    for i in par(0..n) {
        for j in par(0..3) {
            x[i] += j as f32;
        }
    }
}

#[kernel]
fn product(a: &[f32], x: &[f32], y: &mut [f32], n: usize) {
    for i in par(0..y.len()) {
        y[i] = par(0..n).map(|j| a[i * n + j] * x[j]).sum();
    }
}

fn main() {}
