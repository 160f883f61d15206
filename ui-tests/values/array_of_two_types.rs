use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        let a = [1.0, 2];
        x[i] = a[0];
    }
}

fn main() {}
