use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    for i in par(0..n) {
        let v = -i;
        x[v] = 1.0;
    }
}

fn main() {}
