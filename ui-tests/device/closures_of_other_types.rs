// What rustc says of closures.
use anabranch::prelude::*;

#[device]
fn apply(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    f(x) + f(1.0)
}

#[device]
fn of_numbers(x: u32) -> u32 {
    x
}

#[device]
fn calls(x: f32) -> f32 {
    let mut n = 0.0;
    let a = apply(|v| v > 1.0, x);
    let b = apply(|v, w| v + w, x);
    let c = apply(|v| { n += v; n }, x);
    let d = of_numbers(|v| v);
    let e = apply(2.0, x);
    a + b + c + e
}

fn main() {}
