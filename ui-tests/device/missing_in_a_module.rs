use anabranch::prelude::*;

mod math {}

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = math::wave(x[i]);
    }
}

fn main() {}
