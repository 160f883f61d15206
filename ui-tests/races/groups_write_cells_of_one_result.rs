// Each group its own cell, of one slice.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], y: &[f32], sums: &mut [f32]) {
    stream_parallel! {
        'first: {
            for k in par(0..1) {
                for i in 0..x.len() {
                    sums[k] += x[i];
                }
            }
        }
        'second: {
            for k in par(0..1) {
                for i in 0..y.len() {
                    sums[k + 1] += y[i];
                }
            }
        }
    }
}

fn main() {}
