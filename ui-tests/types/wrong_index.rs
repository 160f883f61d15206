use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    for i in par(0..n) {
        let j = i as u32;
        x[j] = 1.0;
    }
}

fn main() {}
