use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], name: String) {
    for i in par(0..x.len()) {
        x[i] = name;
    }
}

fn main() {}
