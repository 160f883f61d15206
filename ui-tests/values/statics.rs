use anabranch::prelude::*;

static mut COUNT: u32 = 0;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        unsafe { COUNT += 1 };
        x[i] = 1.0;
    }
}

#[kernel]
fn inside(x: &mut [f32]) {
    for i in par(0..x.len()) {
        static mut SEEN: u32 = 0;
        x[i] = 1.0;
    }
}

fn main() {}
