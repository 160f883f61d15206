use anabranch::prelude::*;

#[kernel]
#[device]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = 1.0;
    }
}

#[device]
#[kernel]
fn l(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = 1.0;
    }
}

fn main() {}
