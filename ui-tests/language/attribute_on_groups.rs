use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    #[cfg(any())]
    stream_parallel! {
        { for i in par(0..n) { x[i] = 1.0; } }
    }
    for i in par(0..n) {
        x[i] = 1.0;
    }
}

fn main() {}
