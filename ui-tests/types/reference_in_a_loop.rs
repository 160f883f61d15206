use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], factor: f32) {
    let factor = &factor;
    for i in par(0..x.len()) {
        x[i] *= factor;
    }
}

fn main() {}
