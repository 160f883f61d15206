// All threads add to one element.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], sum: &mut [f32]) {
    for i in par(0..x.len()) {
        sum[0] += x[i];
    }
}

fn main() {}
