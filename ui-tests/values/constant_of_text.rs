use anabranch::prelude::*;

const NAME: &str = "wave";

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        let name = NAME;
        x[i] = 1.0;
    }
}

fn main() {}
