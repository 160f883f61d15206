// That the ranges do not overlap only the numbers know: split the slice.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    let n = x.len();
    stream_parallel! {
        'lower: {
            for i in par(0..n / 2) {
                x[i] = 0.0;
            }
        }
        'upper: {
            for i in par(n / 2..n) {
                x[i] = 1.0;
            }
        }
    }
}

fn main() {}
