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
fn of_references<F: Fn() -> f32 + Send>(f: impl Fn(&f32) -> f32, g: [F; 2], h: F) -> f32 {
    0.0
}

#[device]
fn calls(x: f32) -> f32 {
    let f: fn(f32) -> f32 = |v| v + 1.0;
    let (a, b) = (|v: f32| v, 1.0);
    apply(move |v| v * x, x) + (0..3).map(|v| { return v; }).sum::<i32>() as f32
}

#[device]
fn by_name(x: f32) -> f32 {
    apply(half, x)
}

fn main() {}
