use anabranch::prelude::*;

macro_rules! square {
    ($a:expr) => {
        $a * $a
    };
}

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = square!(x[i]);
    }
}

fn main() {}
