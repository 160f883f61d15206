use anabranch::prelude::*;

#[device]
fn f<T: Num>(x: T) -> T {
    x.sqrt()
}

fn main() {}
