use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &mut [f32], n: usize) {
    let (lo, hi) = x.split_at_mut(n);
    for sweep in 0..3 {
        let (a, b) = if sweep % 2 == 0 { (lo, y) } else { (hi, y) };
        stream_parallel! {
            { for i in par(0..n) { a[i] += 1.0; } }
            { for i in par(0..n) { b[i] += 1.0; } }
        }
    }
}

fn main() {}
