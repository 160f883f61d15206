use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    for i in par(0..n) {
        let v: u32 = y[i];
        x[i] = v as f32;
    }
}

fn main() {}
