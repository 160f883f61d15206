use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [i32]) {
    for i in par(0..x.len()) {
        x[i] = match (x[i] > 0, i > 3) {
            (true, _) => 1,
            (false, true) => 2,
        };
    }
}

fn main() {}
