use anabranch::prelude::*;

#[kernel]
fn copy(to: &mut [f32], from: &[f32], n: usize) {
    for i in par(0..n) {
        to[i] = from[i];
    }
}

#[kernel]
fn races(x: &mut [f32], y: &mut [f32], z: &[f32]) {
    stream_parallel! {
        'one: { copy(&mut x, &z, 3); }
        'two: { copy(&mut y, &x, 3); }
    }
    stream_parallel! {
        { copy(&mut x[..3], &z, 3); }
        { copy(&mut x[3..], &z, 3); }
    }
}

fn main() {}
