use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f64], y: &[f32]) {
    for i in par(0..x.len()) {
        x[i] = y[i].into();
    }
}

fn main() {}
