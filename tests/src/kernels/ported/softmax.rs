//! Softmax over the rows of a matrix.

use anabranch::prelude::*;

#[device]
fn greatest<T: Float>(row: &[T]) -> T {
    let mut greatest = T::NEG_INFINITY;
    for i in 0..row.len() {
        greatest = greatest.max(row[i]);
    }
    greatest
}

/// Writes `exp(x - shift)` of all `x`; gives their sum.
#[device]
fn exponentials<T: Float>(row: &[T], shift: T, out: &mut [T]) -> T {
    let mut sum = T::ZERO;
    for i in 0..row.len() {
        let value = (row[i] - shift).exp();
        out[i] = value;
        sum += value;
    }
    sum
}

#[device]
fn scale<T: Float>(row: &mut [T], factor: T) {
    for i in 0..row.len() {
        row[i] *= factor;
    }
}

/// The softmax of each row of `width` elements, and the logarithm of each row's sum of
/// exponentials.
#[kernel]
pub fn softmax<T: Float>(x: &[T], out: &mut [T], log_sums: &mut [T], width: usize) {
    for row in par(0..log_sums.len()) {
        let (start, end) = (row * width, (row + 1) * width);
        let shift = greatest(&x[start..end]);
        let sum = exponentials(&x[start..end], shift, &mut out[start..end]);
        scale(&mut out[start..end], sum.recip());
        log_sums[row] = shift + sum.ln();
    }
}
