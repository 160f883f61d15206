use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [char], n: usize) {
    for i in par(0..n) {
        x[i] = x[i];
    }
}

fn main() {}
