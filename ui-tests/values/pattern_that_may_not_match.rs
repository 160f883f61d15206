use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [i32]) {
    for i in par(0..x.len()) {
        let (3, b) = (x[i], 1);
        x[i] = b;
    }
}

fn main() {}
