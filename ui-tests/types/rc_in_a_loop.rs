use anabranch::prelude::*;

use std::rc::Rc;

#[kernel]
fn k(x: &mut [f32], factor: Rc<f32>) {
    for i in par(0..x.len()) {
        x[i] *= factor;
    }
}

fn main() {}
