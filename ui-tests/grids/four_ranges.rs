// More ranges than a loop has.
use anabranch::prelude::*;
#[kernel]
fn scale(x: &mut [f32], b: usize, c: usize, h: usize, w: usize) {
    for (n, k, i, j) in par((0..b, 0..c, 0..h, 0..w)) {
        x[((n * c + k) * h + i) * w + j] *= 2.0;
    }
}
fn main() {}
