//! Jobs of other files with their sums in device functions: the same bits, and the same
//! instructions.

use anabranch::prelude::*;

/// The mean of the four neighbours.
#[device]
fn mean_around(a: &[f32], i: usize, w: usize) -> f32 {
    0.25 * (a[i - 1] + a[i + 1] + a[i - w] + a[i + w])
}

/// [`stencil`](super::benchmarks::stencil).
#[kernel]
pub fn factored_stencil(b: &mut [f32], a: &[f32], w: usize, h: usize) {
    for (y, x) in par((1..h - 1, 1..w - 1)) {
        let i = y * w + x;
        b[i] = mean_around(&a, i, w);
    }
}

/// The weighted window around an element of a row, edges clamped.
#[device]
fn window(plane: &[f32], weights: &[f32], y: usize, x: usize, w: usize) -> f32 {
    let (taps, mut sum) = (weights.len(), 0.0);
    for k in 0..taps {
        let q = (x + k).saturating_sub(taps / 2).min(w - 1);
        sum += weights[k] * plane[y * w + q];
    }
    sum
}

/// [`blur`](super::benchmarks::blur).
#[kernel]
pub fn factored_blur(out: &mut [f32], plane: &[f32], weights: &[f32], w: usize, h: usize) {
    for (y, x) in par((0..h, 0..w)) {
        out[y * w + x] = window(&plane, &weights, y, x, w);
    }
}

/// The product of a row and a vector.
#[device]
fn row_times<T: Num>(columns: &[u32], values: &[T], first: u32, end: u32, x: &[T]) -> T {
    let mut sum = T::ZERO;
    for at in first..end {
        sum += values[at as usize] * x[columns[at as usize] as usize];
    }
    sum
}

/// [`spmv`](super::ported::spmv::spmv).
#[kernel]
pub fn factored_spmv<T: Num>(starts: &[u32], columns: &[u32], values: &[T], x: &[T], y: &mut [T]) {
    for row in par(0..y.len()) {
        y[row] = row_times(&columns, &values, starts[row], starts[row + 1], &x);
    }
}

crate::kernels::sources! { factored_stencil, factored_blur, factored_spmv::<f32> }
