use anabranch::prelude::*;

#[device]
trait Wrong {
    async fn later(&self) -> f32;

    unsafe fn careless(&self) -> f32;

    const fn early(&self) -> f32;

    fn min(&mut self, other: f32);

    fn boxed(self: Box<Self>) -> f32;

    fn longest<'a>(&'a self, other: &'a Self) -> &'a Self;

    fn with_errors(&self) -> f32 {
        let text = vec![1.0];
        text[0]
    }

    fn right(&self) -> f32 {
        self.with_errors()
    }
}

#[device]
unsafe trait Careless {}

#[device]
trait Borrowed<'a> {}

#[device]
trait Shape {
    fn area(&self) -> f32;
}

macro_rules! area {
    () => {
        fn area(&self) -> f32 {
            1.0
        }
    };
}

#[device]
impl Shape for f32 {
    area! {}
}

fn main() {}
