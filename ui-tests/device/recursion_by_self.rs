use anabranch::prelude::*;

#[device]
fn f(x: u32) -> u32 {
    if x == 0 { 0 } else { self::f(x - 1) }
}

fn main() {}
