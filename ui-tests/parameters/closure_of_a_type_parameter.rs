// A closure that the caller passes.
use anabranch::prelude::*;
#[kernel]
fn map<F: Fn(f32) -> f32>(x: &mut [f32], f: F) {
    for i in par(0..x.len()) {
        x[i] = f(x[i]);
    }
}
fn main() {}
