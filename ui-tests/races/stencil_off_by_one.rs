// Even elements from odd ones, and one odd element too many written.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for i in par(0..n) {
        for k in 0..3 {
            x[2 * i + k] = 1.0;
        }
    }
}

fn main() {}
