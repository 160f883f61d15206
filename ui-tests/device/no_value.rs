use anabranch::prelude::*;

#[device]
fn wave(x: f32) -> f32 {
    x + 1.0;
}

fn main() {}
