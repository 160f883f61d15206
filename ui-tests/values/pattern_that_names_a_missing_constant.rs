use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [i32]) {
    for i in par(0..x.len()) {
        x[i] = match x[i] {
            MAXIMUM => 1,
            _ => 2,
        };
    }
}

fn main() {}
