// A pipeline is not parallel.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32], z: &mut [f32]) {
    stream_parallel! {
        'produce: {
            for i in par(0..y.len()) {
                y[i] = 2.0 * x[i];
            }
        }
        'consume: {
            for i in par(0..z.len()) {
                z[i] = y[i] + 1.0;
            }
        }
    }
}

fn main() {}
