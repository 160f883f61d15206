use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    for i in par(0..n) {
        let b = y[i] > 0.5;
        let c = b % true;
        x[i] = c as u8 as f32;
    }
}

fn main() {}
