use anabranch::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
}

/// One error for a wrong body, and none for its calls.
#[device]
impl Point {
    fn twice(self) -> f32 {
        let text = vec![self.x];
        text[0]
    }

    fn four(self) -> f32 {
        self.twice() + self.twice()
    }
}

#[device]
impl Point {
    fn boxed(self: Box<Self>) -> f32 {
        self.x
    }

    fn min(&mut self, other: f32) {
        self.x = self.x.min(other);
    }

    fn longest<'a>(&'a self, other: &'a Self) -> f32 {
        self.x + other.x
    }

    fn endless(self, n: u32) -> u32 {
        if n == 0 { 0 } else { self.endless(n - 1) }
    }
}

struct Plain {
    x: f32,
}

#[device]
impl Plain {
    fn get(&self) -> f32 {
        self.x
    }
}

impl Point {
    const ZERO: Self = Point { x: 0.0 };
}

#[device]
impl std::ops::Index<usize> for Point {
    type Output = f32;
    fn index(&self, i: usize) -> &f32 {
        match i {
            0 => &self.x,
            1 => &Self::ZERO.x,
            _ => self.x,
        }
    }
}

#[device]
impl PartialEq for Point {
    fn eq(&self, other: &Self) -> bool {
        self.x == other.x
    }
    fn ne(&self, other: &Self) -> bool {
        self.x != other.x
    }
}

fn host(p: Point) -> f32 {
    p.four()
}

fn main() {}
