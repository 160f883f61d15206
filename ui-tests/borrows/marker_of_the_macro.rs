use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &mut [f32], n: usize) {
    stream_parallel! {
        'a: { for i in par(0..n) { x[i] = 1.0; } }
        'b: {
            for i in par(0..n) { y[i] = 2.0; }
            __anabranch_par_loop!(0);
        }
    }
}

fn main() {}
