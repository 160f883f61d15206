// As in Rust, references are operands of arithmetic, and are compared with references.
use anabranch::prelude::*;

#[device]
fn f(x: &f32) -> f32 {
    let y = x * 2.0 + x;
    if x > 1.0 {
        return x;
    }
    y
}

fn main() {}
