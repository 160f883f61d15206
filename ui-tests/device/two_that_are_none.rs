use anabranch::prelude::*;

fn wave(x: f32) -> f32 {
    x.sin()
}
fn ramp(x: f32) -> f32 {
    x
}

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        let w = wave(x[i]);
        let v = w * 2.0;
        x[i] = v.sqrt() + ramp(v);
    }
}

fn main() {}
