use anabranch::prelude::*;

#[device]
fn f<T: Float>(x: T) -> T {
    x * 2.0
}

fn main() {}
