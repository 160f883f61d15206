use anabranch::prelude::*;

#[device]
trait Shape {
    fn area(&self) -> f32;

    fn twice(&self) -> f32 {
        2.0 * self.area()
    }
}

#[device]
trait Named {
    fn name(&self) -> u32 {
        7
    }
}

impl Shape for f32 {
    fn area(&self) -> f32 {
        *self
    }
}

/// All its functions have a default, which would run on the device.
impl Named for f32 {
    fn name(&self) -> u32 {
        8
    }
}

#[device]
impl Shape for f64 {}

fn main() {}
