use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        'outer: for j in 0..3 {
            x[i] += 1.0;
            break 'uter;
        }
    }
}

fn main() {}
