// Two neighbours become one.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    for i in par(0..x.len()) {
        y[i / 2] += x[i];
    }
}

fn main() {}
