use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], #[cfg(debug_assertions)] n: usize) {
    for i in par(0..3) {
        x[i] = 1.0;
    }
}

fn main() {}
