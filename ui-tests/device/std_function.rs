use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for i in par(0..n) {
        x[i] = std::f32::consts::id(x[i]);
    }
}

fn main() {}
