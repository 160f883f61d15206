use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [u32]) {
    for i in par(0..x.len()) {
        if x[i] & 1 {
            x[i] = 2;
        }
    }
}

fn main() {}
