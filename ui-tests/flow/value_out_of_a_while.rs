use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        let v = while x[i] > 1.0 {
            break 3.0;
        };
    }
}

fn main() {}
