// No split has this shape: one loop does it.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    stream_parallel! {
        'even: {
            for i in par(0..n) {
                x[2 * i] = 0.0;
            }
        }
        'odd: {
            for i in par(0..n) {
                x[2 * i + 1] = 1.0;
            }
        }
    }
}

fn main() {}
