// Newton's third law, used to save half the work.
use anabranch::prelude::*;

#[kernel]
fn k(at: &[f32], force: &mut [f32]) {
    let n = at.len();
    for (i, j) in par((0..n, 0..n)) {
        force[i] += at[j] - at[i];
        force[j] -= at[j] - at[i];
    }
}

fn main() {}
