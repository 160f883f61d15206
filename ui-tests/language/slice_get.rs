// A method of std that returns an `Option`.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    for i in par(0..y.len()) {
        let Some(v) = x.get(i) else { continue };
        y[i] = *v;
    }
}
fn main() {}
