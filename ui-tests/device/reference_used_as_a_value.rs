use anabranch::prelude::*;

#[device]
fn twice(a: &f32) -> f32 {
    a * 2.0
}

fn main() {}
