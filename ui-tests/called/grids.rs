use anabranch::prelude::*;

use anabranch::Grid;

#[kernel]
fn copy(to: &mut [f32], from: &[f32], n: usize) {
    for i in par(0..n) {
        to[i] = from[i];
    }
}

#[kernel]
fn plane(to: &mut Grid<f32, 2>, from: &Grid<f32, 2>) {
    for (y, x) in par((0..to.shape()[0], 0..to.shape()[1])) {
        to[[y, x]] = from[[y, x]];
    }
}

#[kernel]
fn k(x: &mut [f32], g: &mut Grid<f32, 2>, cube: &Grid<f32, 3>) {
    plane(&mut g, &x);
    plane(&mut g, &cube);
    copy(&mut x, &g, 3);
}

#[kernel]
fn parts(g: &mut Grid<f32, 2>, h: &Grid<f32, 2>) {
    plane(&mut g[0..1], &h[1..2]);
}

fn main() {}
