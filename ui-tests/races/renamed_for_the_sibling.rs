// A second name does not make a second slice.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    let same = x;
    stream_parallel! {
        'write: {
            for i in par(0..same.len()) {
                same[i] = 0.0;
            }
        }
        'write_too: {
            for i in par(0..x.len()) {
                x[i] = 1.0;
            }
        }
    }
}

fn main() {}
