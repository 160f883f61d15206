// A field that a buffer cannot hold.
use anabranch::prelude::*;
#[device]
#[derive(Clone, Copy)]
enum Material {
    Diffuse(f32),
    Glass,
}
#[device]
#[derive(Clone, Copy)]
struct Sphere {
    r: f32,
    m: Material,
}
#[kernel]
fn k(s: &[Sphere], out: &mut [f32]) {
    for i in par(0..out.len()) {
        out[i] = s[i].r;
    }
}
fn main() {}
