use anabranch::prelude::*;

#[device]
const SCALE: f32 = 2.0;

#[device]
static TABLE: [f32; 2] = [1.0, 2.0];

#[device]
mod math {}

#[device]
union Bits {
    float: f32,
    int: u32,
}

#[device]
type Real = f32;

#[device]
use std::f32::consts::PI;

#[device]
unsafe extern "C" {
    fn erff(x: f32) -> f32;
}

#[device]
macro_rules! square {
    ($x:expr) => {
        $x * $x
    };
}

trait Shape {
    #[device]
    fn area(self) -> f32;
}

#[device]
unsafe fn dangerous(x: f32) -> f32 {
    x
}

#[device]
extern "C" fn of_c(x: f32) -> f32 {
    x
}

#[kernel]
unsafe fn kernel_that_is_unsafe(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = 1.0;
    }
}

fn main() {}
