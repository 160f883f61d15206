use anabranch::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
}

#[device]
impl Point {
    fn new(x: f32) -> Self {
        Point { x }
    }

    fn run_in_device_code(self) -> f32 {
        self.x
    }
}

/// As rustc proposes it for a misspelt method.
#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = Point::new_in_device_code(x[i]).x.sqrt_in_device_code();
    }
}

fn main() {}
