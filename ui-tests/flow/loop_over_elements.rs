use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32]) {
    for i in par(0..x.len()) {
        for v in y {
            x[i] += v;
        }
    }
}

fn main() {}
