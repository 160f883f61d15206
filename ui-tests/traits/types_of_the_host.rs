use anabranch::prelude::*;

#[device]
trait Shape {
    type Scale;

    fn area(&self) -> f32;
}

#[derive(Clone, Copy)]
struct Plain;

#[device]
impl Shape for Plain {
    type Scale = f32;

    fn area(&self) -> f32 {
        1.0
    }
}

#[device]
impl Shape for f32 {
    type Scale = String;

    fn area(&self) -> f32 {
        1.0
    }
}

fn object(_: &dyn Shape<Scale = f32>) {}

fn main() {}
