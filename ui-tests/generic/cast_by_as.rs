use anabranch::prelude::*;

#[device]
fn f<T: Num>(x: u32) -> T {
    x as T
}

fn main() {}
