use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], factor: Option<f32>) {
    for i in par(0..x.len()) {
        if let Some(factor) = factor {
            x[i] *= factor;
        }
    }
}

fn main() {}
