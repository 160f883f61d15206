use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: f32) {
    for i in par(0.0..n) {
        x[i as usize] = 1.0;
    }
}

fn main() {}
