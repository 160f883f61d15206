//! The call lends what the macro does not know as grids.
use anabranch::prelude::*;

#[kernel]
fn advance(a: &Grid<f32, 2>, b: &mut Grid<f32, 2>) {
    let [h, w] = a.shape();
    for (y, x) in par((0..h, 0..w)) {
        b[[y, x]] = a[[y, x]];
    }
}

#[kernel]
fn both(p: [&mut Grid<f32, 2>; 2], q: &mut [f32]) {
    let [a, mut b] = p;
    stream_parallel! {
        'p: { advance(&a, &mut b); }
        'q: { for i in par(0..q.len()) { q[i] = 1.0; } }
    }
}

fn main() {}
