use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32]) {
    for i in par(0..x.len()) {
        let row = y;
        x[i] = row[0];
    }
}

fn main() {}
