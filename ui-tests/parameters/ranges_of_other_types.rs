use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], n: f32) {
    for i in par(0.0..n) {
        let t = x[0];
    }
    for c in par('a'..='z') {
        let t = x[0];
    }
}

fn main() {}
