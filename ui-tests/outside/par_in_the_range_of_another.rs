use anabranch::prelude::*;

#[kernel]
fn scale(x: &mut [f32]) {
    for i in par(0..{
        for j in par(0..3) {
            x[j] = 1.0;
        }
        3
    }) {
        x[i] = 2.0;
    }
}

fn main() {}
