use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], table: &Vec<f32>) {
    for i in par(0..x.len()) {
        x[i] = table[i];
    }
}

fn main() {}
