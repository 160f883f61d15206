// All that are beyond the end write the last element.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32], last: usize) {
    for i in par(0..x.len()) {
        y[i.min(last)] = x[i];
    }
}

fn main() {}
