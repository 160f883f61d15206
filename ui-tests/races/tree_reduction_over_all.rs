// A tree reduction whose active half is not the lower half.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], half: usize) {
    for i in par(0..2 * half) {
        x[i] += x[i + half];
    }
}

fn main() {}
