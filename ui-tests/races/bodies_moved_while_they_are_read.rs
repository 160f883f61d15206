// The n-body problem, with one array of positions.
use anabranch::prelude::*;

#[kernel]
fn k(at: &mut [f32]) {
    let n = at.len();
    for i in par(0..n) {
        let mut force = 0.0;
        for j in 0..n {
            force += at[j] - at[i];
        }
        at[i] += 0.01 * force;
    }
}

fn main() {}
