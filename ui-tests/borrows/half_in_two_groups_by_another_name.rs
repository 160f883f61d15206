use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    let (lo, _hi) = x.split_at_mut(n / 2);
    let (first, _rest) = lo.split_at_mut(3);
    stream_parallel! {
        'a: { for i in par(0..first.len()) { first[i] = 1.0; } }
        'b: { for i in par(0..lo.len()) { lo[i] = 2.0; } }
    }
}

fn main() {}
