use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for i in par(0..x.len()) {
        let a = [0.0; n];
        x[i] = a[0];
    }
}

fn main() {}
