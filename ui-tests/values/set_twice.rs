use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        let v = x[i];
        x[i] = v;
        v = 2.0;
    }
}

fn main() {}
