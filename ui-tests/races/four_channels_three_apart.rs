// Pixels of three bytes, written as if they had four.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [u8], n: usize) {
    for i in par(0..n) {
        for channel in 0..4 {
            x[3 * i + channel] = 255;
        }
    }
}

fn main() {}
