use anabranch::prelude::*;

#[device]
fn ping<T: Num>(x: T) -> T {
    if x > T::ZERO { pong(x - T::ONE) } else { x }
}

#[device]
fn pong<T: Num>(x: T) -> T {
    ping(x)
}

#[device]
fn wrapper(x: f32) -> f32 {
    ping(x)
}

fn main() {}
