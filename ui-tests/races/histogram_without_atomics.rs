// CUDA's classic: two pixels of one shade.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[u8], hist: &mut [u32]) {
    for i in par(0..x.len()) {
        hist[x[i] as usize] += 1;
    }
}

fn main() {}
