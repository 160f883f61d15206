use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &mut [f32]) {
    let last = || x.len() - 1;
    stream_parallel! {
        { for i in par(0..last()) { y[i] += 1.0; } }
        { for i in par(0..x.len()) { x[i] += 1.0; } }
    }
    let _ = last();
}

fn main() {}
