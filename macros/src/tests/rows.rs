//! Which indexes a row covers.

use super::kernel;
use crate::analysis::rows;
use crate::parse::text;

/// The covered indexes of a body over `(y, x)` with host values `n`, `w` and views `a`, `b`: `+` moves along the row.
fn covered(body: &str) -> Vec<String> {
    let kernel = kernel(&format!(
        "fn k(a: &mut [f32], b: &[f32], n: usize, w: usize) {{ for (y, x) in par((0..n, 0..w)) {{ {body} }} }}"
    ));
    let rows = rows::of(&kernel.loops[0]);
    let body = &kernel.loops[0].body;
    rows.accesses
        .values()
        .map(|access| format!("{}{}", if access.moves { "+" } else { "=" }, body[access.view].name))
        .collect()
}

#[test]
fn sums_with_the_fastest_variable_once_are_rows() {
    for (body, expected) in [
        ("a[x] = 1.0;", &["+a"][..]),
        ("a[y * w + x] = b[y * w + x - 1];", &["+b", "+a"]),
        ("let i = y * w + x; a[i] = b[i + w] + b[(y + 1) * w - 2 + x];", &["+b", "+b", "+a"]),
        ("let i = y * w; let j = i + x; a[j] += b[i];", &["=b", "+a"]),
        ("a[x + a.len() - n] = b[0];", &["=b", "+a"]),
        ("if x > 0 { a[x] = b[x - 1]; }", &["+b", "+a"]),
        ("for k in 0..n { a[x] += b[k]; }", &["+a"]),
    ] {
        assert_eq!(covered(body), expected, "{body}");
    }
}

#[test]
fn everything_else_checks_for_itself() {
    for body in [
        "a[2 * x] = 1.0;",
        "a[x + x] = 1.0;",
        "a[n - x] = 1.0;",
        "a[x * w + y] = 1.0;",
        "a[x % w] = 1.0;",
        "a[x.min(n)] = 1.0;",
        "a[n / 2] = 1.0;",
        "a[b[x] as usize] = 1.0;",
        "let mut i = x; i += 1; a[i] = 1.0;",
        "for k in 0..n { a[x + k] = 1.0; }",
        "a[if x > 1 { x } else { 0 }] = 1.0;",
        "let x = x * 2; a[x] = 1.0;",
        "a[device(x)] = 1.0;",
    ] {
        let indexes: Vec<String> = covered(body).into_iter().filter(|c| c.ends_with('a')).collect();
        assert_eq!(indexes, [""; 0], "{body}");
    }
}

#[test]
fn a_step_has_no_rows() {
    let kernel = kernel("fn k(a: &mut [f32]) { for i in par(0..9).step_by(2) { a[i] = 1.0; } }");
    assert!(rows::of(&kernel.loops[0]).accesses.is_empty(), "{}", text(&kernel.host));
}
