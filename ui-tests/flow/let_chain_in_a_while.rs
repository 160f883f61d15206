use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        while (let 3 = i) {
            x[i] = 1.0;
        }
    }
}

fn main() {}
