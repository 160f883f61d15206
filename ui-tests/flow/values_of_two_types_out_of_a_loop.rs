use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = loop {
            if i > 3 {
                break 1.0;
            }
            break false;
        };
    }
}

fn main() {}
