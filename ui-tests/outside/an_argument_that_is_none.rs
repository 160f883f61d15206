use anabranch::prelude::*;

#[kernel(threads = 128)]
fn scale(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] *= 2.0;
    }
}

fn main() {}
