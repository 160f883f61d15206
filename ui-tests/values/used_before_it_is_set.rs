use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        let v;
        if i > 3 {
            v = 1.0;
        }
        x[i] = v;
    }
}

fn main() {}
