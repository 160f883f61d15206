//! The kernels of [`ported`](crate::kernels::ported), each against plain Rust: exact where all
//! operations are, in `f64` elsewhere.

mod numbers;
mod physics;
mod pictures;

pub use numbers::{bitonic_sort, collatz, kmeans, matmul_of_floats, matmul_of_ints, sha256, softmax, spmv};
pub use physics::{lbm, nbody, poisson};
pub use pictures::{box_filter, life, mandelbrot, spheres};

use super::noise;

/// Numbers from -1 to 1.
fn signed(n: usize) -> Vec<f32> {
    noise(n).map(|v| (v >> 40) as f32 / (1 << 23) as f32 - 1.0).collect()
}

/// All within `off` of what they should be, as a part of the greatest of these.
#[track_caller]
fn near<T: Copy + Into<f64>>(got: &[T], want: &[f64], off: f64) {
    assert_eq!(got.len(), want.len());
    let off = off * want.iter().fold(0.0, |greatest: f64, want| greatest.max(want.abs()));
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        let got = got.into();
        assert!((got - want).abs() <= off, "element {i} is {got}, not {want}; allowed is {off:e}");
    }
}
