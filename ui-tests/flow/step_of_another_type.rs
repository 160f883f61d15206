use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], step: i32) {
    for i in par(0..x.len()) {
        for j in (0..i).step_by(step) {
            x[i] += 1.0;
        }
    }
}

fn main() {}
