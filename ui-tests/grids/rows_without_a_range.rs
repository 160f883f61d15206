//! The number of rows, as ndarray and nalgebra spell it.
use anabranch::prelude::*;

#[kernel]
fn in_a_range(a: &mut Grid<f32, 2>) {
    for i in par(0..a.rows()) {
        a[[i, 0]] = 1.0;
    }
}

#[kernel]
fn in_a_variable(a: &mut Grid<f32, 3>) {
    let n = a.rows();
    for i in par(0..n) {
        a[[i, 0, 0]] = 1.0;
    }
}

fn main() {}
