#![deny(unused_unsafe)]

use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for i in par(0..n) {
        unsafe {
            x[i] = 1.0;
        }
    }
}

fn main() {}
