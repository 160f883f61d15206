// What the borrow checker says of variables that hold references.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32]) {
    for i in par(0..x.len()) {
        let a = &mut x[i];
        x[i] = 2.0;
        *a = 1.0;
    }
    for i in par(0..x.len() / 4) {
        let row = &x[4 * i..4 * i + 4];
        x[4 * i] = 2.0;
        x[4 * i + 1] = row[0];
    }
    for i in par(0..x.len()) {
        let b = &y[i];
        *b = 1.0;
        x[i] = *b;
    }
}

fn main() {}
