use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        let a: Vec<f32> = x[i];
        let b: &f32 = x[i];
    }
}

fn main() {}
