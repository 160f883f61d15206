use anabranch::prelude::*;

#[device]
fn set(a: &[f32]) {
    a[0] = 1.0;
}

fn main() {}
