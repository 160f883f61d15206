use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = std::f64::consts::PI;
    }
}

fn main() {}
