use anabranch::prelude::*;

#[kernel]
fn scale(x: &mut [f32]) {
    let range = par(0..x.len());
    for i in range {
        x[i] *= 2.0;
    }
}

fn main() {}
