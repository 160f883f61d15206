// A bin by the low bits.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[u32], bins: &mut [u32]) {
    for i in par(0..x.len()) {
        bins[i & 7] += x[i];
    }
}

fn main() {}
