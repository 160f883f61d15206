// All threads write the same value: a data race all the same.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], found: &mut [u32]) {
    for i in par(0..x.len()) {
        if x[i] < 0.0 {
            found[0] = 1;
        }
    }
}

fn main() {}
