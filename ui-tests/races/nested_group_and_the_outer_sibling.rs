// A group within a group races with the sibling of that.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &mut [f32], z: &mut [f32]) {
    stream_parallel! {
        'outer: {
            stream_parallel! {
                'deep: {
                    for i in par(0..x.len()) {
                        x[i] = 0.0;
                    }
                }
                'beside: {
                    for i in par(0..y.len()) {
                        y[i] = 0.0;
                    }
                }
            }
        }
        'sibling: {
            for i in par(0..z.len()) {
                z[i] = x[i];
            }
        }
    }
}

fn main() {}
