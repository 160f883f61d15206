// Each pair overlaps the next one.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len() - 1) {
        if x[i] > x[i + 1] {
            let t = x[i];
            x[i] = x[i + 1];
            x[i + 1] = t;
        }
    }
}

fn main() {}
