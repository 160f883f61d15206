#![deny(unused_variables)]

use anabranch::prelude::*;

#[kernel]
pub fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        let a = 1;
        let (b, _c) = (1, 2);
        match (i, b) {
            (3, d) => x[i] = 1.0,
            (e, f) if f > 2 && e > 1 => x[i] = 2.0,
            _ => {}
        }
    }
}

fn main() {}
