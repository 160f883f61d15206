use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &mut [f32], n: usize) {
    let z = if n > 3 { x } else { y };
    stream_parallel! {
        'a: { for i in par(0..n) { z[i] = 1.0; } }
        'b: { for i in par(0..n) { y[i] = 2.0; } }
    }
}

fn main() {}
