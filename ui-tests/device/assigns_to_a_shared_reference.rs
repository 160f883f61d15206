use anabranch::prelude::*;

#[device]
fn set(a: &f32) {
    *a = 1.0;
}

fn main() {}
