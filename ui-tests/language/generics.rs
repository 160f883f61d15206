use anabranch::prelude::*;

#[kernel]
fn k<T>(x: &mut [T]) {
    for i in par(0..x.len()) {
        x[i] = x[i];
    }
}

fn main() {}
