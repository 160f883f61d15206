// Two elements may go to one place.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], to: &[usize], y: &mut [f32]) {
    for i in par(0..x.len()) {
        y[to[i]] = x[i];
    }
}

fn main() {}
