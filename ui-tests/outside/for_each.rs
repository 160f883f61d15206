use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    par(0..x.len()).for_each(|i| x[i] = 1.0);
}

fn main() {}
