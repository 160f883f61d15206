use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    stream_parallel! {}
    stream_parallel! {
        'a: { let _ = n; }
        'b: { for i in par(0..n) { x[i] = 2.0; } }
    }
}

fn main() {}
