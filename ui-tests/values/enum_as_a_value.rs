use anabranch::prelude::*;

enum Mode {
    Fast = 1,
}

#[kernel]
fn k(x: &mut [u32]) {
    for i in par(0..x.len()) {
        x[i] = Mode::Fast as u32;
    }
}

fn main() {}
