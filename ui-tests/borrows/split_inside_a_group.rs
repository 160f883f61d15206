use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    stream_parallel! {
        'a: {
            let (lo, _) = x.split_at_mut(n / 2);
            for i in par(0..lo.len()) { lo[i] = 1.0; }
        }
        'b: {
            let (_, hi) = x.split_at_mut(n / 2);
            for i in par(0..hi.len()) { hi[i] = 2.0; }
        }
    }
}

fn main() {}
