// In an even number of elements the two in the middle are swapped twice.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    let n = x.len();
    for i in par(0..n / 2 + 1) {
        (x[i], x[n - 1 - i]) = (x[n - 1 - i], x[i]);
    }
}

fn main() {}
