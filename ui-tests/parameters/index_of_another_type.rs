use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: i32) {
    for i in par(0..n) {
        x[i] = 1.0;
    }
}

fn main() {}
