// The index of a match, of which there may be several.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], at: &mut [usize]) {
    for i in par(0..x.len()) {
        if x[i] == 1.0 {
            at[0] = i;
        }
    }
}

fn main() {}
