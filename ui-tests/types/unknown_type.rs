use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f23], n: usize) {
    for i in par(0..n) {
        x[i] = 1.0;
    }
}

fn main() {}
