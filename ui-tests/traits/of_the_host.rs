use anabranch::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
}

#[device]
impl Default for Point {
    fn default() -> Self {
        Point { x: 1.0 }
    }
}

fn main() {}
