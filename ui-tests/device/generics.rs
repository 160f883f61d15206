use anabranch::prelude::*;

#[device]
fn f<T>(x: T) -> T {
    x
}

fn main() {}
