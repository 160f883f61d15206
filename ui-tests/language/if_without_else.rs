use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    for i in par(0..n) {
        let v = if i > 3 { 1.0 };
        x[i] = v;
    }
}

fn main() {}
