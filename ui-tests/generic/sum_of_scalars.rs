use anabranch::prelude::*;

#[device]
fn f<T: Scalar>(x: T) -> T {
    x + x
}

fn main() {}
