use anabranch::prelude::*;

#[kernel]
fn k<T>(x: &mut [f32], a: T) {
    for i in par(0..x.len()) {
        x[i] = a;
    }
}

fn main() {}
