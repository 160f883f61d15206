use anabranch::prelude::*;

#[device]
fn set(a: &mut f32, b: &f32) {
    *a = *b;
}

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        set(&mut x[i], &x[i]);
    }
}

fn main() {}
