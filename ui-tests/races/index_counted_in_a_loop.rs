// A variable that changes may be anything.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    for i in par(0..x.len()) {
        let mut at = 0;
        while at < i {
            at += 2;
        }
        y[at] = x[i];
    }
}

fn main() {}
