use anabranch::prelude::*;

#[device]
fn f(x: &[f32]) -> &f32 {
    &x[0]
}

fn main() {}
