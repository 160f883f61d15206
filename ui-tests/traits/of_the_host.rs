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

#[device]
impl std::fmt::Display for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.x)
    }
}

fn main() {}
