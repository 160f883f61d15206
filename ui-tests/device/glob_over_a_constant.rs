//! What a glob brings only rustc knows: here `N`, in place of the one outside.
use anabranch::prelude::*;

mod big {
    pub const N: usize = 1_000_000_000;
}
const N: usize = 0;

#[kernel]
fn k(y: &mut [f32]) {
    for i in par(0..y.len()) {
        use big::*;
        y[i + N] = 1.0;
    }
}

fn main() {
    let _ = N;
}
