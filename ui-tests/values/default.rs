// A function of a trait of the host.
use anabranch::prelude::*;
#[device]
#[derive(Clone, Copy, Default)]
struct V {
    x: f32,
    y: f32,
}
#[kernel]
fn zero(p: &mut [V]) {
    for i in par(0..p.len()) {
        p[i] = V::default();
    }
}
fn main() {}
