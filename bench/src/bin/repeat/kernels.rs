//! The kernels that are launched.

use anabranch::prelude::*;

/// The test suites list their kernels.
macro_rules! sources {
    ($($kernels:tt)*) => {};
}
pub(crate) use sources;

#[path = "../../../../tests/src/kernels/benchmarks.rs"]
pub mod benchmarks;
#[path = "../../../../tests/src/kernels/independent.rs"]
pub mod independent;

/// A loop with five slices and four numbers.
#[kernel]
pub fn five(a: &mut [f32], b: &[f32], c: &[f32], d: &[f32], e: &[f32], k: f32, l: f32, m: f32, n: f32) {
    for i in par(0..a.len()) {
        a[i] = k * b[i] + l * c[i] + m * d[i] + n * e[i];
    }
}
