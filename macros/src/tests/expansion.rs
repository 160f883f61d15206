//! The whole expansion of small kernels.

use insta::assert_snapshot;

use super::{expansion, expansion_with};

#[test]
fn two_groups() {
    assert_snapshot!(expansion(
        "/// Moves.
         pub fn step(pos: &mut [f32], vel: &[f32], heat: &mut [f32], dt: f32) {
            let n = pos.len();
            stream_parallel! {
                'motion: { for i in par(0..n) { pos[i] += vel[i] * dt; } }
                'heat: { for i in par(0..pos.len()) { heat[i] *= 0.99; } }
            }
        }"
    ));
}

#[test]
fn splits_get_the_mut_they_need() {
    let out = expansion(
        "fn k(x: &mut [f32], mid: usize) {
            let (lo, hi) = x.split_at_mut(mid);
            stream_parallel! {
                { for i in par(0..lo.len()) { lo[i] = 1.0; } }
                { for i in par(0..hi.len()) { hi[i] = 2.0; } }
            }
        }",
    );
    let split = out.split(';').find(|s| s.contains("split_at_mut")).unwrap_or_default();
    assert!(split.contains("mut lo") && split.contains("mut hi"), "{split}");
}

#[test]
fn a_library_kernel() {
    assert_snapshot!(expansion_with(
        "library",
        "fn gemm<T: Float>(stream: &Stream, a: &Grid<T, 2>, bins: &[AtomicU32], mut n: usize, c: &mut [T]) -> Result<(), BlasError> {
            n += 1;
            blas::gemm(stream, a, bins, n, c)
        }"
    ));
}
