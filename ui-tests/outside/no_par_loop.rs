use anabranch::prelude::*;

#[kernel]
fn scale(x: &mut [f32]) {
    let _n = x.len();
}

fn main() {}
