// All levels of the tree in one loop, where each level needs the one before finished.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..512) {
        let mut half = 512;
        while half > 0 {
            if i < half {
                x[i] += x[i + half];
            }
            half /= 2;
        }
    }
}

fn main() {}
