use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    for i in par(0..n) {
        let v = if y[i] > 0.5 { 1.0 } else { 2u8 };
        x[i] = v;
    }
}

fn main() {}
