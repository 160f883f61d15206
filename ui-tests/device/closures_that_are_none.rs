// What closures cannot be and do.
use anabranch::prelude::*;

#[device]
fn half(v: f32) -> f32 {
    v / 2.0
}

#[device]
fn apply(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    let g = f;
    f(x)
}

#[device]
fn of_references(f: impl Fn(&f32) -> f32, g: impl FnOnce()) -> f32 {
    0.0
}

#[device]
fn calls(x: f32) -> f32 {
    let f = |v: f32| v + 1.0;
    apply(half, x)
        + apply(move |v| v * x, x)
        + apply(|v| -> f32 { v }, x)
        + apply(|v| { return v; }, x)
}

fn main() {}
