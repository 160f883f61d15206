// A device function may write anything of what it is given.
use anabranch::prelude::*;

#[device]
fn put(x: &mut [f32], at: usize) {
    x[at] = 1.0;
}

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        put(&mut x, i);
    }
}

fn main() {}
