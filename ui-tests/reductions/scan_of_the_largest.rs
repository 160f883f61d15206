// A scan of another operation than a sum.
use anabranch::prelude::*;
#[kernel]
fn cummax(x: &[f32], y: &mut [f32]) {
    for (i, m) in par(0..x.len()).inclusive_max(|i| x[i]) {
        y[i] = m;
    }
}
fn main() {}
