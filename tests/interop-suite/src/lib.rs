//! The kernels of the tests with memory and streams of other libraries.

use anabranch::prelude::*;

/// `x = mul * x + add`, in so many steps: slow enough that work which does not wait for it comes
/// too early.
#[kernel]
pub fn affine(x: &mut [u32], mul: u32, add: u32, steps: u32) {
    for i in par(0..x.len()) {
        let mut v = x[i];
        let mut k = 0;
        while k < steps {
            v = v.wrapping_mul(mul).wrapping_add(add);
            k += 1;
        }
        x[i] = v;
    }
}

/// Adds one, after what the caller does in the host part.
#[kernel]
pub fn after(x: &mut [u32], before: &dyn Fn()) {
    before();
    for i in par(0..x.len()) {
        x[i] += 1;
    }
}

/// `y = 2 * x`.
#[kernel]
pub fn double(x: &[u32], y: &mut [u32]) {
    for i in par(0..y.len()) {
        y[i] = 2 * x[i];
    }
}

/// Adds the number of its row and ten times that of its column to each element.
#[kernel]
pub fn mark(x: &mut Grid<u32, 2>) {
    let [rows, cols] = x.shape();
    for (row, col) in par((0..rows, 0..cols)) {
        x[[row, col]] += (row + 10 * col) as u32;
    }
}

/// Divides by zero.
#[kernel]
pub fn fail(x: &mut [u32], zero: u32) {
    for i in par(0..x.len()) {
        x[i] = 1 / zero;
    }
}
