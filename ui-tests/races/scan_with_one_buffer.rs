// The scan of Hillis and Steele, with one buffer for what is read and what is written.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    let n = x.len();
    let mut distance = 1;
    while distance < n {
        for i in par(distance..n) {
            x[i] += x[i - distance];
        }
        distance *= 2;
    }
}

fn main() {}
