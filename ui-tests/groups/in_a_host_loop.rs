use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &mut [f32], sweeps: usize) {
    for _ in 0..sweeps {
        if y.len() > 3 {
            stream_parallel! {
                'a: { for i in par(0..x.len()) { x[i] = y[i]; } }
                'b: { for i in par(0..y.len()) { y[i] = 1.0; } }
            }
        }
    }
}

fn main() {}
