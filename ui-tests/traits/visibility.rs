use anabranch::prelude::*;

#[device]
trait Shape {
    fn area(&self) -> f32;
}

#[device]
#[derive(Clone, Copy)]
struct Square(f32);

#[device]
impl Shape for Square {
    pub fn area(&self) -> f32 {
        self.0 * self.0
    }
}

fn main() {}
