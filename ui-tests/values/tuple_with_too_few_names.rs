use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        let (a, b) = (1.0, 2.0, 3.0);
        x[i] = a + b;
    }
}

fn main() {}
