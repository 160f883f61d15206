use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &mut [f32], n: usize) {
    'all: {
        stream_parallel! {
            'a: {
                for i in par(0..n) { x[i] = 1.0; }
                if n > 3 { break 'all; }
            }
            'b: { for i in par(0..n) { y[i] = 2.0; } }
        }
    }
}

fn main() {}
