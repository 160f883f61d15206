// A tuple of two types as an element.
use anabranch::prelude::*;
#[kernel]
fn pairs(x: &mut [(f32, u32)]) {
    for i in par(0..x.len()) {
        x[i].0 += 1.0;
        x[i].1 += 1;
    }
}
fn main() {}
