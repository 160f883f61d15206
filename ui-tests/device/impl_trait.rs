use anabranch::prelude::*;

#[device]
fn f(x: impl Float) -> f32 {
    1.0
}

#[device]
fn g(x: f32) -> impl Float {
    1.0
}

#[device]
trait Shape {
    fn area(self) -> f32;
}

#[device]
fn twice(shape: &impl Shape) -> f32 {
    2.0
}

#[device]
fn all(shapes: &[&dyn Shape]) -> f32 {
    2.0
}

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = f(x[i]) + g(x[i]);
    }
}

fn main() {}
