// All that are beyond the last element write it.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    for i in par(0..x.len()) {
        y[i.min(15)] = x[i];
    }
}

fn main() {}
