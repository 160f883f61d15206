// Each half reads the edge of the other one.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    let n = x.len();
    let (lo, hi) = x.split_at_mut(n / 2);
    stream_parallel! {
        'lower: {
            for i in par(0..1) {
                lo[i] = hi[0];
            }
        }
        'upper: {
            for i in par(0..1) {
                hi[i] = 1.0;
            }
        }
    }
}

fn main() {}
