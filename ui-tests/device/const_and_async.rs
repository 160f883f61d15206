use anabranch::prelude::*;

#[device]
const fn f(x: f32) -> f32 {
    x
}

#[device]
async fn g(x: f32) -> f32 {
    x
}

fn main() {}
