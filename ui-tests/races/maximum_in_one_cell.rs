// Compare and set is not atomic.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], best: &mut [f32]) {
    for i in par(0..x.len()) {
        if x[i] > best[0] {
            best[0] = x[i];
        }
    }
}

fn main() {}
