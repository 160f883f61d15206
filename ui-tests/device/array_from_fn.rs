// A function of std that makes an array.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    for i in par(0..y.len()) {
        let a: [f32; 4] = std::array::from_fn(|k| x[i] * k as f32);
        y[i] = a[1];
    }
}
fn main() {}
