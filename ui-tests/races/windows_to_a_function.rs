// Windows of 5, 4 apart, for writing.
use anabranch::prelude::*;

#[device]
fn clear(x: &mut [f32]) {
    for k in 0..x.len() {
        x[k] = 0.0;
    }
}

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for i in par(0..n) {
        clear(&mut x[4 * i..4 * i + 5]);
    }
}

fn main() {}
