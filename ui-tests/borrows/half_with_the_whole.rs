use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    let (lo, _hi) = x.split_at_mut(n / 2);
    stream_parallel! {
        'half: { for i in par(0..lo.len()) { lo[i] = 1.0; } }
        'whole: { for i in par(0..n) { x[i] = 2.0; } }
    }
}

fn main() {}
