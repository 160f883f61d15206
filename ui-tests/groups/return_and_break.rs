use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &mut [f32], n: usize) {
    for sweep in 0..3 {
        stream_parallel! {
            'a: {
                for i in par(0..n) { x[i] = 1.0; }
                if sweep == 1 { break; }
            }
            'b: {
                for i in par(0..n) { y[i] = 2.0; }
                if n > 3 { return; }
            }
        }
    }
}

fn main() {}
