// Two splits of one slice, at different places.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    let n = x.len();
    let (lo, _) = x.split_at_mut(n / 2);
    let (_, hi) = x.split_at_mut(n / 4);
    stream_parallel! {
        'lower: {
            for i in par(0..lo.len()) {
                lo[i] = 0.0;
            }
        }
        'upper: {
            for i in par(0..hi.len()) {
                hi[i] = 1.0;
            }
        }
    }
}

fn main() {}
