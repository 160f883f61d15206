use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for v in par(x) {
        *v = 1.0;
    }
}

fn main() {}
