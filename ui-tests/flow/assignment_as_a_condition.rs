use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        if x[i] = 1.0 {
            x[i] = 2.0;
        }
    }
}

fn main() {}
