//! rustc reports each mistake once, though there are two copies of a loop.
#![deny(warnings)]

use anabranch::prelude::*;

#[kernel(fuse = true)]
fn mistyped(x: &mut [f32], y: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] *= 2.0;
    }
    for i in par(0..y.len()) {
        y[i] += 1;
    }
}

#[kernel(fuse = true)]
fn unused(x: &mut [f32], y: &mut [f32], n: usize) {
    for i in par(0..n) {
        let twice = x[i] * 2.0;
        x[i] += 1.0;
    }
    for j in par(0..n) {
        y[j] = 1.0;
    }
    for k in par(0..n) {
        let mut z = 1.0;
        x[k] = (z);
    }
}

fn main() {}
