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

/// AVX-512 is for phases in lanes, and for tiles in registers.
#[test]
fn what_wide_vectors_are_for() {
    let is_wide = |args: &str, loops: &str| {
        let out = expansion_with(
            args,
            &format!(
                "fn k(x: &[f32], y: &mut [f32], n: usize) {{
                    for block in par_blocks(0..n).threads(64) {{
                        let b = block.index();
                        let mut tile = block.shared([0.0; 64]);
                        for t in block.threads() {{ tile[t] = x[b * 64 + t]; }}
                        for t in block.threads() {{ let mut sum = 0.0; {loops} y[b * 64 + t] = sum; }}
                    }}
                }}"
            ),
        );
        let (wide, all) = (out.matches("by_verdict_wide(").count(), out.matches("by_verdict").count());
        assert_eq!(all, 1, "{out}");
        wide == 1
    };
    let nest = |rounds: usize| format!("for i in 0..8 {{ for j in 0..{rounds} {{ sum += tile[i] * tile[j]; }} }}");
    assert!(is_wide("", &nest(8)) && is_wide("lanes = false", &nest(8)));
    assert!(!is_wide("", &nest(7)) && !is_wide("", "sum = tile[0];"));
    let long = "for k in 0..n { sum += tile[k % 64]; }";
    assert!(is_wide("", long) && !is_wide("lanes = false", long));
}
