use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [u32]) {
    for i in par(0..x.len()) {
        x[i] = i.try_into().unwrap();
    }
}

fn main() {}
