use anabranch::prelude::*;

#[device]
fn f<T: Copy + std::ops::Add<Output = T>>(x: T) -> T {
    x + x
}

fn main() {}
