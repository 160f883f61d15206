use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &mut [f32]) {
    stream_parallel! {
        { for i in par(0..x.len()) { x[i] = 1.0; } }
        { for i in par(0..y.len()) { y[i] = x[i]; } }
    }
}

fn main() {}
