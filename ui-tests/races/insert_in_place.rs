// Everything moves to the right, by a number that the host knows.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], gap: usize) {
    for i in par(0..x.len() - gap) {
        x[i + gap] = x[i];
    }
}

fn main() {}
