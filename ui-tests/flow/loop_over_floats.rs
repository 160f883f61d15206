use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        for t in 0.0..1.0 {
            x[i] += t;
        }
    }
}

fn main() {}
