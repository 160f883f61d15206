// The row is put together with another width than it was taken apart with.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize, w: usize, stride: usize) {
    for i in par(0..n) {
        let row = i / w;
        let column = i % w;
        x[row * stride + column] = 1.0;
    }
}

fn main() {}
