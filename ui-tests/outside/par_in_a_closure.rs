use anabranch::prelude::*;

#[kernel]
fn scale(x: &mut [f32]) {
    let mut pass = || {
        for i in par(0..x.len()) {
            x[i] *= 2.0;
        }
    };
    pass();
}

fn main() {}
