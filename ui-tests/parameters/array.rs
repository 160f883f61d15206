use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32; 3]) {
    for i in par(0..3) {
        x[i] = 1.0;
    }
}

fn main() {}
