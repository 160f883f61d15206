// A mirror image in place: `i` reads what `n - 1 - i` writes.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    let n = x.len();
    for i in par(0..n) {
        x[i] = x[n - 1 - i];
    }
}

fn main() {}
