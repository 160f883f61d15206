#![deny(unreachable_patterns)]

use anabranch::prelude::*;

#[kernel]
pub fn k(x: &mut [i32]) {
    for i in par(0..x.len()) {
        x[i] = match x[i] {
            _ => 1,
            3 => 2,
        };
    }
}

fn main() {}
