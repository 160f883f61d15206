use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], j: i32) {
    for i in par(0..x.len()) {
        let a = [1.0, 2.0];
        x[i] = a[j];
    }
}

fn main() {}
