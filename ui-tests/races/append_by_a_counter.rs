// A list that grows by a counter.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], out: &mut [f32], count: &mut [usize]) {
    for i in par(0..x.len()) {
        if x[i] > 0.0 {
            out[count[0]] = x[i];
            count[0] += 1;
        }
    }
}

fn main() {}
