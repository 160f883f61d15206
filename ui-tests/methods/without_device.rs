use anabranch::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
}

impl Point {
    fn twice(self) -> f32 {
        2.0 * self.x
    }

    fn new(x: f32) -> Self {
        Point { x }
    }
}

impl From<f32> for Point {
    fn from(x: f32) -> Self {
        Point { x }
    }
}

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = Point { x: 1.0 }.twice();
        let p = Point::new(x[i]);
        let q = <Point>::from(x[i]);
    }
}

fn main() {}
