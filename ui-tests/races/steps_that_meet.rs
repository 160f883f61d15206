// Each iteration takes from the next one that there is.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par((0..x.len() - 2).step_by(2)) {
        x[i] = x[i + 2];
    }
}

fn main() {}
