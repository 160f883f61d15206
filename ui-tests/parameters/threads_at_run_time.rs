use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], threads: usize) {
    for i in par(0..x.len()).block(threads) {
        x[i] = 1.0;
    }
}

fn main() {}
