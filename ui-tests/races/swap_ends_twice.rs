// Reversal by swaps, over the whole slice instead of its first half: every pair is swapped twice.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    let n = x.len();
    for i in par(0..n) {
        let t = x[i];
        x[i] = x[n - 1 - i];
        x[n - 1 - i] = t;
    }
}

fn main() {}
