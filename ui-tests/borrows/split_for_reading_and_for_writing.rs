use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &mut [f32], n: usize) {
    let (lo, _) = x.split_at(n / 2);
    stream_parallel! {
        'a: { for i in par(0..lo.len()) { y[i] = lo[i]; } }
        'b: { for i in par(0..x.len()) { x[i] = 2.0; } }
    }
}

fn main() {}
