use anabranch::prelude::*;

#[device]
trait Shape {
    fn area(&self) -> f32;

    fn twice(&self) -> f32 {
        2.0 * self.area()
    }
}

#[device]
impl Shape for f32 {
    fn area(&self) -> f32 {
        self.twice() / 2.0
    }
}

fn main() {}
