//! The kernels. They do not depend on candle.

use anabranch::prelude::*;

/// The softmax of each row of `columns` elements: `y = exp(x) / sum(exp(x))`. A block of threads
/// computes a row.
#[kernel]
pub(crate) fn softmax<T: Float>(x: &[T], y: &mut [T], columns: usize) {
    for block in par_blocks(0..y.len() / columns).threads(128) {
        let row = block.index() * columns;
        let mut own = block.each(T::NEG_INFINITY);
        for i in block.par(0..columns) {
            own = own.max(x[row + i]);
        }
        let largest = block.max(own);
        let mut sum = block.each(T::ZERO);
        for i in block.par(0..columns) {
            let power = (x[row + i] - largest).exp(); // at most 1
            y[row + i] = power;
            sum += power;
        }
        let total = block.sum(sum);
        for i in block.par(0..columns) {
            y[row + i] /= total;
        }
    }
}

/// The gradient of [`softmax`] from its result `y` and the gradient `dy` of that:
/// `dx = y * (dy - sum(y * dy))`.
#[kernel]
pub(crate) fn softmax_gradient<T: Float>(y: &[T], dy: &[T], dx: &mut [T], columns: usize) {
    for block in par_blocks(0..dx.len() / columns).threads(128) {
        let row = block.index() * columns;
        let mut own = block.each(T::ZERO);
        for i in block.par(0..columns) {
            own += y[row + i] * dy[row + i];
        }
        let sum = block.sum(own);
        for i in block.par(0..columns) {
            dx[row + i] = y[row + i] * (dy[row + i] - sum);
        }
    }
}

#[device]
fn sigmoid<T: Float>(x: T) -> T {
    T::ONE / (T::ONE + (-x).exp())
}

/// `y = gate * sigmoid(gate) * up`.
#[kernel]
pub(crate) fn swiglu<T: Float>(gate: &[T], up: &[T], y: &mut [T]) {
    for i in par(0..y.len()) {
        y[i] = gate[i] * sigmoid(gate[i]) * up[i];
    }
}

/// The gradients of [`swiglu`] from its arguments and the gradient `dy` of its result. The first
/// half of `d` is the gradient of `gate`, the second half that of `up`.
#[kernel]
pub(crate) fn swiglu_gradients<T: Float>(gate: &[T], up: &[T], dy: &[T], d: &mut [T]) {
    let n = gate.len();
    let (dgate, dup) = d.split_at_mut(n);
    for i in par(0..n) {
        let s = sigmoid(gate[i]);
        dgate[i] = dy[i] * up[i] * s * (T::ONE + gate[i] * (T::ONE - s));
        dup[i] = dy[i] * gate[i] * s;
    }
}
