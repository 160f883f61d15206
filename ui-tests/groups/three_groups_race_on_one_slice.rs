use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    stream_parallel! {
        'a: { for i in par(0..n) { x[i] = 1.0; } }
        'b: { for i in par(0..n) { x[i] = 2.0; } }
        'c: { for i in par(0..n) { x[i] = 3.0; } }
    }
}

fn main() {}
