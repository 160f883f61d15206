use anabranch::prelude::*;

#[device]
fn clip(x: f32) -> f32 {
    if x > 1.0 {
        return 1.0;
    }
}

fn main() {}
