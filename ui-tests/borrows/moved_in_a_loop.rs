use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for _ in 0..3 {
        let y = x;
        for i in par(0..n) { y[i] += 1.0; }
    }
}

fn main() {}
