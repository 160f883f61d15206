//! Which accesses are left to the device, because no launch can decide them.

use super::kernel;
use crate::analysis::access;
use crate::report::Report;

/// What is left to the device, as it is written.
fn left(body: &str) -> Vec<String> {
    let kernel = kernel(&format!(
        "fn k(x: &[f32], y: &mut [f32], from: &[usize], small: &[u32], rows: &[usize], n: usize, s: usize) {{ for i in par(0..y.len()) {{ {body} }} }}"
    ));
    let mut report = Report::default();
    let facts = access::check(&kernel.loops, false, &mut report);
    report.check().expect("the kernel has no races");
    let left = facts.iter().flat_map(|facts| facts.told.accesses.iter().filter(|access| !access.decided));
    left.map(|access| access.text.clone()).collect()
}

#[test]
fn what_no_launch_can_decide() {
    let cases: &[(&str, &[&str])] = &[
        ("y[i] = x[from[i]];", &["x[from[i]]"]),
        ("let k = from[i]; y[i] = x[k];", &["x[k]"]),
        ("let k = small[i] as usize + 1; y[i] = x[k] + x[k - 1];", &["x[k]", "x[k - 1]"]),
        ("let k = i ^ from[i]; y[i] = x[k];", &["x[k]"]),
        ("let k = from[i] | 1; y[i] = x[k];", &["x[k]"]),
        ("let k = from[i]; if k > 3 { y[i] = x[k]; }", &["x[k]"]),
        ("let k = from[i]; if k != n { y[i] = x[k]; }", &["x[k]"]),
        ("let k = from[i]; if k < from[s] { y[i] = x[k]; }", &["x[k]"]),
        // The sum may wrap.
        ("let k = from[i]; if k + 1 < n { y[i] = x[k]; }", &["x[k]"]),
        ("let k = from[i]; if k < n { y[i] = x[i]; } y[i] = x[k];", &["x[k]"]),
        ("let k = from[i]; y[i] = if k < n { 0.0 } else { x[k] };", &["x[k]"]),
        ("let k = from[i].max(n); y[i] = x[k];", &["x[k]"]),
        ("let k = from[i]; let j = if k < n { k } else { k - n }; y[i] = x[j];", &["x[j]"]),
        ("for k in rows[i]..rows[i + 1] { y[i] += x[k]; }", &["x[k]"]),
        (
            "let (a, b) = (rows[i], rows[i + 1]); for k in a..b { y[i] += x[k] * x[from[k]]; }",
            &["x[k]", "from[k]", "x[from[k]]"],
        ),
        ("let m = from[i] * i; y[i] = x[m];", &["x[m]"]),
        ("let mut k = i; if i > 3 { k += 1; } y[i] = x[k];", &["x[k]"]),
        ("let mut k = i; for j in 0..4 { y[i] = x[k]; if j > s { k += 1; } }", &["x[k]"]),
        ("let mut k = i; for j in 0..4 { y[i] = x[k]; if j > s { continue; } k += 1; }", &["x[k]"]),
        ("let mut k = i; for _ in 0..4 { k += 1; k += 1; y[i] = x[k]; }", &["x[k]"]),
        ("let mut k = i; for j in 0..4 { y[i] = x[k]; k += j; }", &["x[k]"]),
        ("let mut k = i; for _ in 0..4 { k += 1; } y[i] = x[k];", &["x[k]"]),
        ("let mut k = i; 'a: { if i > s { break 'a; } k += 1; } y[i] = x[k];", &["x[k]"]),
        ("let mut k = i; if i > s && { k += 1; true } { y[i] = x[k]; }", &["x[k]"]),
        ("let mut k = i; let f = &mut k; y[i] = x[k];", &["x[k]"]),
    ];
    for (body, expected) in cases {
        assert_eq!(left(body), *expected, "{body}");
    }
}

#[test]
fn what_something_limits() {
    for body in [
        "y[i] = x[i] + x[n] + x[i * s + 1] + x[i / 2];",
        "let k = from[i]; if k < n { y[i] = x[k]; }",
        "let mut k = i; k += 1; y[i] = x[k]; k = n; if i > 3 { k -= 1; y[i] = x[k]; }",
        "let mut k = 4 * i; for _ in 0..4 { y[i] = x[k]; k += s; }",
        "let (mut k, mut m) = (i, n); for _ in s..s + 4 { k += 3; m -= 1; y[i] = x[k] + x[m]; if y[i] > 2.0 { break; } }",
        "let k = small[i] as usize; if k < x.len() && i > 0 { y[i] = x[k]; }",
        "let k = small[i]; if k as usize + 1 < n { y[i] = x[k as usize]; }",
        "let k = from[i]; if k >= n { continue; } y[i] = x[k] + x[n - k];",
        "let k = from[i]; assert!(k <= s); y[i] = x[k];",
        "let k = from[i]; if k == s { y[i] = x[k]; }",
        "let k = from[i]; let j = rows[i]; if k < j && j < n { y[i] = x[k]; }",
        "let k = from[i]; y[i] = x[k.min(n - 1)] + x[k % n] + x[k & 15] + x[k % 8 + 8 * i];",
        "let k = small[i]; y[i] = x[(k >> 24) as usize];",
        "let k = from[i]; let j = if k < n { k } else { n - 1 }; y[i] = x[j];",
        "let (a, b) = (rows[i], rows[i + 1]); if b <= n { for k in a..b { y[i] += x[k]; } }",
        "let end = from[i]; for k in 0..end.min(s) { y[i] += x[k]; }",
        "for k in 0..rows[i] { if k < n { y[i] += x[k]; } }",
    ] {
        assert_eq!(left(body), [""; 0], "{body}");
    }
}

/// What is left to the device keeps nothing else of its loop from 32 bits.
#[test]
fn the_rest_of_the_loop_is_narrow() {
    let kernel = kernel(
        "fn k(x: &[f32], y: &mut [f32], rows: &[usize], cols: &[u32], vals: &[f32]) {
            for r in par(0..y.len()) {
                let (a, b) = (rows[r], rows[r + 1]);
                let mut sum = 0.0;
                for k in a..b { sum += vals[k] * x[cols[k] as usize]; }
                for k in 0..4 { sum += vals[k]; }
                y[r] = sum;
            }
        }",
    );
    let mut report = Report::default();
    let facts = access::check(&kernel.loops, false, &mut report);
    report.check().expect("the kernel has no races");
    let name = |id: &crate::ir::LocalId| kernel.loops[0].body[*id].name.to_string();
    assert_eq!(facts[0].info.indexing.iter().map(name).collect::<Vec<_>>(), ["r", "k"]);
    assert_eq!(facts[0].info.counted.len(), 1, "the loop over four elements counts in 32 bits");
}
