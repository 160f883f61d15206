use anabranch::prelude::*;

#[device]
trait Shape {
    const SIDES: u32;

    fn area(&self) -> f32;
}

#[device]
trait Field {
    fn area(&self) -> f32;
}

trait Plain {
    fn plain(&self) -> f32;
}

impl Plain for f32 {
    fn plain(&self) -> f32 {
        *self
    }
}

#[device]
impl Shape for f32 {
    const SIDES: u32 = 1;

    fn area(&self) -> f32 {
        *self
    }
}

#[device]
impl Field for f32 {
    fn area(&self) -> f32 {
        *self
    }
}

#[device]
fn area_of<S: Shape>(s: S) -> f32 {
    s.area()
}

#[device]
fn without_a_bound<S: DeviceValue>(s: S) -> f32 {
    s.area() + S::SIDES as f32
}

#[device]
fn of_an_object(s: &dyn Shape) -> f32 {
    s.area()
}

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = x[i].area();
        x[i] = x[i].plain();
        x[i] = area_of(1u8);
        x[i] = f32::missing(x[i]);
    }
}

fn main() {}
