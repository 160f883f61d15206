use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    'all: for i in par(0..x.len()) {
        for j in 0..3 {
            if x[i] > 1.0 {
                break 'all;
            }
        }
    }
}

fn main() {}
