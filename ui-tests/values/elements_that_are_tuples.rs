use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [(f32, f32)]) {
    for i in par(0..x.len()) {
        x[i].0 = 1.0;
    }
}

fn main() {}
