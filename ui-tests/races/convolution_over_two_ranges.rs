// The sum of an output runs in parallel, too.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], weights: &[f32], y: &mut [f32]) {
    for (i, k) in par((0..y.len(), 0..weights.len())) {
        y[i] += weights[k] * x[i + k];
    }
}

fn main() {}
