// `unsafe` speaks for the access that it stands around, not for the other ones.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], to: &[usize]) {
    for i in par(0..to.len()) {
        unsafe {
            x[to[i]] = 1.0;
        }
        x[i / 2] += 1.0;
    }
}

fn main() {}
