// More ranges than a loop has.
use anabranch::prelude::*;
#[kernel]
fn scale(x: &mut Grid<f32, 4>) {
    let [b, c, h, w] = x.shape();
    for (n, k, i, j) in par((0..b, 0..c, 0..h, 0..w)) {
        x[[n, k, i, j]] *= 2.0;
    }
}
fn main() {}
