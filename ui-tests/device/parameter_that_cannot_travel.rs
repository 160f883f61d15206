use anabranch::prelude::*;

#[device]
fn f(s: &str, x: f32) -> f32 {
    x
}

fn main() {}
