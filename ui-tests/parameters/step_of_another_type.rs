use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], step: i32) {
    for i in par((0..x.len()).step_by(step)) {
        x[i] = 1.0;
    }
}

fn main() {}
