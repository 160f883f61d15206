use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32]) {
    for i in par(0..x.len()) {
        let row = &y[i..i + 3];
        x[i] = row[0] + row[1];
    }
}

fn main() {}
