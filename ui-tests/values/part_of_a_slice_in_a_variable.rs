// A variable holds one part of a slice, which is named where it is made.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], z: &[f32]) {
    for i in par(0..x.len()) {
        let either = if i % 2 == 0 { &y[i..i + 3] } else { &z[..] };
        let mut row = &y[i..i + 3];
        row = &z[..];
        let (a, b) = (&y[..2], &z[..2]);
        let both = [&y[..2], &z[..2]];
        x[i] = row[0] + either[1];
    }
}

fn main() {}
