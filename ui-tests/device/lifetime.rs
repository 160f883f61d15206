use anabranch::prelude::*;

#[device]
fn f<'a>(x: &'a [f32]) -> f32 {
    x[0]
}

fn main() {}
