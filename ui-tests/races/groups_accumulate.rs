// Two groups add to one slice.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], y: &[f32], sum: &mut [f32]) {
    stream_parallel! {
        'first: {
            for i in par(0..sum.len()) {
                sum[i] += x[i];
            }
        }
        'second: {
            for i in par(0..sum.len()) {
                sum[i] += y[i];
            }
        }
    }
}

fn main() {}
