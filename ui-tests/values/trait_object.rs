use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], f: &dyn Fn(f32) -> f32) {
    for i in par(0..x.len()) {
        x[i] = f(x[i]);
    }
}

fn main() {}
