use anabranch::prelude::*;

#[device]
fn wave(x: f32) -> f32 {
    if x > 1.0 {
        return 1u8;
    }
    x
}

fn main() {}
