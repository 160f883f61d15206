use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &mut [f32], z: &mut [f32], n: usize) {
    stream_parallel! {
        'a: {
            #[cfg(any())]
            let x = y;
            for i in par(0..n) { x[i] = 1.0; }
        }
        'b: {
            #[cfg(any())]
            let x = z;
            for i in par(0..n) { x[i] = 2.0; }
        }
    }
}

fn main() {}
