//! Reductions and scans of host parts.

use anabranch::prelude::*;

/// A dot product.
#[kernel]
pub fn dot(x: &[f32], y: &[f32], total: &mut [f32], at: usize) {
    total[at] = par(0..x.len()).map(|i| x[i] * y[i]).sum();
}

/// All operations of numbers, of a part of a slice.
#[kernel]
pub fn numbers<T: Num>(x: &[T], out: &mut [T], first: usize, end: usize) {
    out[0] = par(first..end).map(|i| x[i]).sum();
    out[1] = par(first..end).map(|i| x[i]).product();
}

/// Conditions.
#[kernel]
pub fn conditions(x: &[i32], many: &mut [usize], all: &mut [bool]) {
    let n = x.len();
    many[0] = par(0..n).map(|i| x[i] > 0).count();
    all[0] = par(0..n).map(|i| x[i] > 100).any();
    all[1] = par(0..n).map(|i| x[i] > -100).all();
}

/// The greatest change, over two dimensions, with the history of all sweeps.
#[kernel]
pub fn changes(a: &Grid<f32, 2>, b: &Grid<f32, 2>, worst: &mut [f32], sweeps: usize) {
    let [h, w] = a.shape();
    for sweep in 0..sweeps {
        worst[sweep] = par((sweep..h, 0..w)).map(|(y, x)| (a[[y, x]] - b[[y, x]]).abs()).max();
    }
}
