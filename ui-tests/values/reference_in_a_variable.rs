use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        let a = &mut x[i];
        *a = 1.0;
    }
}

fn main() {}
