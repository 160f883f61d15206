use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [i32]) {
    for i in par(0..x.len()) {
        x[i] = match (x[i], 1) {
            (a, 1) | (1, b) => a,
            _ => 2,
        };
    }
}

fn main() {}
