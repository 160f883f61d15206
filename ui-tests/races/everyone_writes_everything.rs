// Each thread initializes the whole slice.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        for k in 0..x.len() {
            x[k] = i as f32;
        }
    }
}

fn main() {}
