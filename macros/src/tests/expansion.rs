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

/// The CPU asks before an inner loop whether its accesses are in bounds, where only data say how
/// far the loop goes and the index grows by 1.
#[test]
fn what_an_inner_loop_asks() {
    let asks = |loops: &str| {
        let out = expansion(&format!(
            "fn k(s: &[u32], x: &[f32], y: &mut [f32], from: u32) {{
                for i in par(0..y.len()) {{
                    let mut sum = 0.0;
                    let (first, end) = (s[i], s[i + 1]);
                    {loops}
                    y[i] = sum;
                }}
            }}"
        ));
        let whole: String = out.split_whitespace().collect();
        // One pair of an index and a length for each access.
        whole
            .split("inside_in_device_code(")
            .nth(1)
            .map_or(0, |asked| asked.split(";for").next().unwrap_or(asked).matches("view::len(").count())
    };
    assert_eq!(asks("for k in first..end { sum += x[k as usize]; }"), 1);
    assert_eq!(asks("for k in 0..end { sum += x[(k + from) as usize] * x[1 + k as usize - i]; }"), 2);
    assert_eq!(asks("for k in 0..end { let at = k as usize; if sum < 9.0 { let next = at + 1; sum += x[next]; } }"), 1);
    for none in [
        // Another step, or none that anybody knows.
        "for k in 0..end { sum += x[k as usize * 2]; }",
        "for k in 0..end { sum += x[s[k as usize * 2] as usize]; }",
        "for k in 0..end { sum += x[k as u8 as usize]; }",
        "for k in 0..end { sum += x[k as f32 as usize]; }",
        // What changes on the way.
        "for mut k in 0..end { k += 1; sum += x[k as usize]; }",
        "let mut at = 0; for k in 0..end { at += 2; sum += x[k as usize + at]; }",
        "let at; for k in 0..end { at = i; sum += x[k as usize + at]; break; }",
        "for k in 0..end { let mut at = k as usize; at += 1; sum += x[at]; }",
        "for k in 0..end { let at = x[0] as usize; sum += x[k as usize + at]; }",
        // A view that a reference may change.
        "for k in 0..end { unsafe { y[k as usize] = 1.0; } sum += 1.0; }",
        // Names that mean something else before the loop.
        "for k in 0..end { const AT: usize = 1; sum += x[k as usize + AT]; }",
        // Other ranges, and loops around others.
        "for k in 0..=end { sum += x[k as usize]; }",
        "for k in (0..end).rev() { sum += x[k as usize]; }",
        "for k in 0..end { for j in 0..i { sum += j as f32 * x[k as usize]; } }",
        // The launch decides it.
        "for k in 0..8 { sum += x[8 * i + k]; }",
    ] {
        assert_eq!(asks(none), 0, "{none}");
    }
}
