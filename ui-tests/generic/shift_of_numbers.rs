use anabranch::prelude::*;

#[device]
fn f<T: Num>(x: T) -> T {
    x << 1
}

fn main() {}
