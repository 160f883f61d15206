use anabranch::prelude::*;

#[kernel]
fn other(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = 1.0;
    }
}

#[kernel]
fn k(x: &mut [f32]) {
    other(x);
    for i in par(0..x.len()) {
        x[i] = 1.0;
    }
}

fn main() {}
