use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: f32) {
    for i in par(0.0..n) {
        x[0] = 1.0;
    }
    for c in par('a'..='z') {
        x[0] = 1.0;
    }
}

fn main() {}
