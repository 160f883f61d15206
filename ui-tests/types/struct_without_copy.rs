use anabranch::prelude::*;

#[device]
struct P {
    x: f32,
    v: f32,
}

#[kernel]
fn step(p: &mut [P], dt: f32) {
    for i in par(0..p.len()) {
        p[i].x += dt * p[i].v;
    }
}

fn main() {}
