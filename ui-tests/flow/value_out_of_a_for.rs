use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        for j in 0..3 {
            if j > 1 {
                break j;
            }
            x[i] += 1.0;
        }
    }
}

fn main() {}
