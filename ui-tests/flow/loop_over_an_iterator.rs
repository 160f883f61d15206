use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32]) {
    for i in par(0..x.len()) {
        for (j, v) in y.iter().enumerate() {
            x[i] += v;
        }
    }
}

fn main() {}
