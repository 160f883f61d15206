//! Which loops are accepted: pairs of look-alikes.

use super::errors;

/// What is said of a loop, in a kernel with these parameters.
fn said(body: &str) -> String {
    errors(&format!(
        "fn k(x: &mut [f32], y: &[f32], g: &mut Grid<f32, 2>, v: &mut Grid<f32, 3>, idx: &[u32], out: &mut [f32], n: usize, w: usize, h: usize, s: usize, k: usize) {{ {body} }}"
    ))
}

fn accepted<T: AsRef<str>>(bodies: &[T]) {
    for body in bodies.iter().map(AsRef::as_ref) {
        assert_eq!(said(body), "no error", "{body}");
    }
}

fn refused(cases: &[(&str, &str)]) {
    for (body, words) in cases {
        let said = said(body);
        assert!(said.contains(words), "{body}\n{said}");
        assert_eq!(said.matches(": [AB").count(), 1, "{body}\n{said}");
    }
}

/// A part of an element counts as the element.
#[test]
fn parts_of_elements() {
    accepted(&[
        "for i in par(0..n) { x[i].a += y[i].b; x[i].b.c[k] = x[i].a; }",
        "for i in par(0..n) { put(&mut x[i].a); put(&mut x[i].c[1..k]); x[i][0].a = 1.0; }",
    ]);
    refused(&[
        ("for i in par(0..n) { x[i].a = x[i + 1].b; }", "loop-carried dependence"),
        ("for i in par(0..n) { x[i].a.c[k] += 1.0; x[i + 1][0].b = 1.0; }", "loop-carried dependence"),
        ("for i in par(0..n) { x[0].a[i] = 1.0; }", "does not depend on `i`"),
        ("for i in par(0..n) { put(&mut x[k].a); }", "does not depend on `i`"),
        ("for i in par(0..n) { put(&mut x[k].c[i..]); }", "does not depend on `i`"),
        ("for i in par(0..n) { (x[0].a, _) = (1.0, 2.0); }", "does not depend on `i`"),
    ]);
}

/// What a variable or a loop borrows counts as accessed, all of it and at once, whatever is then
/// done with it.
#[test]
fn borrowed_parts() {
    accepted(&[
        "for i in par(0..n) { let row = &mut x[w * i..w * i + w]; row[k] = 1.0; put(row); }",
        "for i in par(0..n) { for v in x[w * i..w * (i + 1)].iter_mut() { *v += 1.0; } }",
        "for i in par(0..n) { let p = &mut x[i]; *p += y[i]; p.a = 1.0; }",
        "for i in par(0..n) { let row = &y[i..]; for v in row { x[i] += v; } }",
        "for i in par(0..n) { x[i] = y.iter().zip(&y[i..]).map(|(a, b)| a * b).sum(); }",
        "for i in par(0..n) { for (j, v) in y[..w].iter().enumerate() { x[i * w + j] = *v; } }",
        "for i in par(0..n) { for (j, v) in y[w..2 * w].iter().enumerate().rev() { x[i * w + j] = *v; } }",
        "for i in par(0..n) { let c = &mut g[[i, k]]; *c = 1.0; }",
        "for i in par(0..n) { unsafe { let row = &mut x[idx[i] as usize..]; row[0] = 1.0; } }",
    ]);
    refused(&[
        ("for i in par(0..n) { let row = &mut x[2 * i..2 * i + 3]; row[k] = 1.0; }", "the same element"),
        ("for i in par(0..n) { let row = &mut x[k..]; row[i] = 1.0; }", "does not depend on `i`"),
        ("for i in par(0..n) { let all = &mut x; all[i] = 1.0; }", "lends all of `x`"),
        ("for i in par(0..n) { let p = &mut x[k]; *p = 1.0; }", "does not depend on `i`"),
        ("for i in par(0..n) { let row = &x[i..i + 2]; x[i] = 1.0; }", "loop-carried dependence"),
        ("for i in par(0..n) { let s = x.iter().sum(); x[i] = s; }", "loop-carried dependence"),
        ("for i in par(0..n) { for v in &x { out[i] += v; } x[i] = 1.0; }", "loop-carried dependence"),
        ("for i in par(0..n) { for v in x.iter_mut() { *v = 1.0; } }", "lends all of `x`"),
        ("for i in par(0..n) { for (a, b) in y.iter().zip(x.iter_mut()) { *b = *a; } }", "lends all of `x`"),
        ("for i in par(0..n) { for (j, v) in y.iter().enumerate() { x[j] = *v; } }", "does not depend on `i`"),
        ("for i in par(0..n) { x[i] = y.iter().map(|v| { x[i + 1] }).sum(); }", "loop-carried dependence"),
        (
            "for i in par(0..n) { out[i] = 1.0; if y.iter().map(|v| out[i + 1] * v).sum::<f32>() > 1.0 { x[i] = 1.0; } }",
            "loop-carried dependence",
        ),
        (
            "for i in par(0..n) { let row = &mut x[i..i + 1]; let part = &mut row[..]; part[0] = x[i + 1]; }",
            "loop-carried dependence",
        ),
        (
            "for i in par(0..n) { let p = &mut x[i]; { let x = &y[i]; *p = *x; } x[i + 1] = 2.0; }",
            "loop-carried dependence",
        ),
    ]);
}

/// The values of a text are read as others are, and what a check shows is known.
#[test]
fn texts() {
    accepted(&[
        "for i in par(0..n) { println!(\"{} {w} {}\", x[i], y[i + 1]); x[i] = dbg!(y[i]); }",
        "for i in par(0..n) { assert!(i < s, \"{i}\"); x[i] += x[i + s]; }",
        "for i in par(0..n) { assert!(i < s && n > 1, \"{}\", x[i]); x[i] += x[i + s]; }",
        "for i in par(0..n) { assert_eq!(i, 0); x[0] = 1.0; }",
        "for i in par(0..n) { assert_eq!(i, 0, \"{i} {n}\"); x[0] = 1.0; }",
    ]);
    refused(&[
        ("for i in par(0..n) { println!(\"{}\", x[i + 1]); x[i] = 1.0; }", "loop-carried dependence"),
        ("for i in par(0..n) { x[i] = dbg!(x[i + 1]); }", "loop-carried dependence"),
        ("for i in par(0..n) { x[i] = 1.0; assert!(y[i] > 0.0, \"{}\", x[i + 1]); }", "loop-carried dependence"),
        ("for i in par(0..n) { x[i] = 1.0; assert_eq!(x[i + 1], 0.0); }", "loop-carried dependence"),
        ("for i in par(0..n) { x[i] = 1.0; if y[i] > 0.0 { panic!(\"{}\", x[i + 1]); } }", "loop-carried dependence"),
        ("for i in par(0..n) { println!(\"{}\", { x[0] = 1.0; 2 }); }", "does not depend on `i`"),
        ("for i in par(0..n) { assert_ne!(i, 0, \"{i}\"); x[0] = 1.0; }", "does not depend on `i`"),
    ]);
}

#[test]
fn one_variable() {
    accepted(&[
        "for i in par(0..n) { x[i] = y[i]; }",
        "for i in par(0..n) { x[i] += 1.0; x[i] = x[i] * 2.0; }",
        "for i in par(0..n) { x[n - 1 - i] = y[i]; }",
        "for i in par(0..n) { x[2 * i] = y[i]; x[2 * i + 1] = y[i]; }",
        "for i in par(0..n) { let j = 3 * i; for c in 0..3 { x[j + c] = y[i]; } }",
        "for i in par(0..n) { x[i * s] = y[i]; }",
        "for i in par(0..n) { for j in 0..k { x[i * k + j] = y[j]; } }",
        "for i in par(0..n) { for j in 0..k { x[j * n + i] = y[j]; } }",
        "for i in par(0..s) { x[i] += x[i + s]; }",
        "for i in par(0..n) { if i < s { x[i] += x[i + s]; } }",
        "for i in par(0..n) { if i >= s { continue; } x[i] += x[i + s]; }",
        "for i in par(0..n) { if i == 0 { x[0] = y[n]; } }",
        "for i in par(1..n) { x[i] = y[i - 1] + y[i] + y[i + 1]; }",
        "for i in par(0..n) { x[i] = y[idx[i] as usize]; }",
        "for i in par(0..n) { unsafe { x[idx[i] as usize] = y[i]; } }",
        "for i in par(-3i32..5) { x[(i + 3) as usize] = 1.0; }",
        "for i in par(0..n) { x[i << 1] = 1.0; }",
        "for i in par(0..n) { x[8 * i + idx[i] as usize % 8] += 1.0; }",
        "for i in par(0..n) { x[16 * i + (idx[i] as usize & 15)] += x[16 * i]; }",
        "for i in par(0..s) { x[s + i] = x[idx[i] as usize % s]; }",
    ]);
    refused(&[
        ("for i in par(0..n) { x[i] = x[i + 1]; }", "i = 1 writes `x[1]` (line 1), and i = 0 reads it"),
        ("for i in par(0..n) { put(&mut x[0..4][1..2]); }", "does not depend on `i`"),
        // A part of a part may be less, so no example is made of it.
        ("for i in par(0..n) { x[i] = sum(&x[..][i + 1..]); }", "possible loop-carried dependence"),
        ("for i in par(1..n) { x[i] += x[i - 1]; }", "i = 1 writes `x[1]` (line 1), and i = 2 reads it"),
        ("for i in par(0..n) { x[0] += y[i]; }", "does not depend on `i`"),
        ("for i in par(0..n) { x[idx[i] as usize] += 1.0; }", "unsafe { x[idx[i] as usize] = … }"),
        ("for i in par(0..n) { x[i / 2] = y[i]; }", "i = 0 and i = 1 both write `x[0]`"),
        (
            "for i in par(0..n) { x[8 * i + idx[i] as usize % 9] += 1.0; }",
            "example: with some values in `idx`, i = 0 and i = 1 both write `x[8]`",
        ),
        ("for i in par(0..n) { x[i] = x[i + s]; }", "loop-carried dependence"),
        ("for i in par(s..n) { x[i] += x[i - s]; }", "loop-carried dependence"),
        ("for i in par(0..n) { x[n - 1 - i] = x[i]; }", "loop-carried dependence"),
        ("for i in par(0..n) { for j in 0..4 { x[3 * i + j] = y[j]; } }", "i = 0 and i = 1 both write `x[3]`"),
        ("for i in par(0..n) { if i < 2 { x[0] = 1.0; } }", "does not depend"),
        ("for i in par(0..n) { for p in 0..0 { x[i + p] += 1.0; } x[i] = x[i + 1]; }", "loop-carried dependence"),
        ("for i in par(0..n) { x[i] = x[(i + 1) % n]; }", "loop-carried dependence"),
    ]);
}

#[test]
fn several_variables() {
    accepted(&[
        "for (i, j) in par((0..h, 0..w)) { x[i * w + j] = y[j]; }",
        "for (z, i, j) in par((0..k, 0..h, 0..w)) { x[(z * h + i) * w + j] = y[j]; }",
        "for (i, j) in par((1..h - 1, 1..w - 1)) { x[i * w + j] = y[(i - 1) * w + j]; }",
        "for (b, i) in par((0..n, 0..s)) { let t = x[b * (2 * s) + i]; x[b * (2 * s) + i] = x[b * (2 * s) + i + s]; x[b * (2 * s) + i + s] = t; }",
        "for j in par(0..w) { x[(k + 1) * w + j] = x[k * w + j]; }",
        "for (i, j) in par((0..h, 0..w)) { if i == 0 { x[j] = 1.0; } }",
        "for (i, j) in par((0..h, 0..w)) { for c in 0..3 { x[3 * (i * w + j) + c] = 1.0; } }",
    ]);
    refused(&[
        ("for (i, j) in par((0..h, 0..w)) { x[i + j] = 1.0; }", "the same coefficient"),
        ("for (i, j) in par((0..h, 0..w)) { x[j] = y[i]; }", "does not depend on `i`"),
        ("for (i, j) in par((0..n, 0..n)) { x[i * n + j] = x[j * n + i]; }", "loop-carried dependence"),
        ("for (i, j) in par((0..h, 0..w)) { x[i * w + j] = x[(i + 1) * w + j]; }", "loop-carried dependence"),
        (
            "for (i, j) in par((0..h, 0..w)) { x[i * j] = 1.0; }",
            "(i, j) = (0, 0) and (i, j) = (0, 1) both write `x[0]`",
        ),
    ]);
}

/// Blocks, whose last one may be shorter.
#[test]
fn blocks() {
    accepted(&[
        "for b in par(0..n) { for i in b * s..b * s + s { x[i] = 1.0; } }",
        "for b in par(0..n) { for i in b * s..(b + 1) * s { x[i] = 1.0; } }",
        "for b in par(0..n) { for i in b * s..(b * s + s).min(w) { x[i] = 1.0; } }",
        "for b in par(0..n) { for i in b * s..w.min((b + 1) * s) { x[i] = 1.0; } }",
        "for b in par(0..n) { let (lo, hi) = (b * s, ((b + 1) * s).min(w)); for i in lo..hi { x[i] = 1.0; } }",
        "for b in par(0..n) { for k in 0..s.min(w - b * s) { x[b * s + k] = 1.0; } }",
        "for b in par(0..n) { for i in 8 * b..(8 * b + 8).min(n) { x[i] = 1.0; } }",
        "for b in par(0..n) { f(&mut x[b * s..(b * s + s).min(w)]); }",
        "for b in par((0..n).step_by(s)) { for i in b..(b + s).min(n) { x[i] = 1.0; } }",
        "for b in par((0..n).step_by(4)) { for k in 0..4 { x[b + k] = 1.0; } }",
        // With some numbers: the launch has them.
        "for b in par(0..n) { for i in b * s..(b * s + s).max(w) { x[i] = 1.0; } }",
        "for (i, j) in par((0..n, 0..n)) { if i != k && j != k { x[i * n + j] = x[i * n + k] + x[k * n + j]; } }",
        "for (i, j) in par((0..h, 0..h)) { x[i * n + j + h] = 1.0; x[(i + h) * n + j] = 2.0; }",
    ]);
    refused(&[
        ("for b in par(0..n) { for i in b * s..b * s + s + 1 { x[i] = 1.0; } }", "the indexes in `x[i]` overlap"),
        (
            "for b in par(0..n) { for i in b * s..(b * s + s).min(w) + 1 { x[i] = 1.0; } }",
            "the indexes in `x[i]` overlap",
        ),
        ("for b in par(0..n) { for i in b * s..=(b * s + s).min(w) { x[i] = 1.0; } }", "the indexes in `x[i]` overlap"),
        ("for b in par(0..n) { for i in b..(b + s + 1).min(w) { x[i] = 1.0; } }", "the indexes in `x[i]` overlap"),
        (
            "for b in par((0..n).step_by(s)) { for i in b..(b + s + 1).min(n) { x[i] = 1.0; } }",
            "the indexes in `x[i]` overlap",
        ),
        ("for b in par((0..n).step_by(4)) { for k in 0..5 { x[b + k] = 1.0; } }", "b = 0 and b = 4 both write"),
    ]);
}

/// Steps of ranges, and elements that are different modulo a number.
#[test]
fn residues() {
    accepted(&[
        "for i in par((0..n).step_by(2)) { x[i] = 1.0; x[i + 1] = 2.0; }",
        "for i in par((1..n).step_by(2)) { x[i] = x[i - 1] + x[i + 1]; }",
        "for i in par((k..n).step_by(2)) { x[i] = x[i - 1] + x[i + 1]; }",
        "for i in par(1..n) { x[2 * i] = x[2 * i - 1] + x[2 * i + 1]; }",
        "for i in par(1..n) { x[2 * i + s] = x[2 * i + s - 1] + x[2 * i + s + 1]; }",
        "for i in par(0..n) { x[4 * i] = x[2 * i + 1]; }",
        "for i in par((0..n).step_by(3)) { x[i] = x[i + 1] + x[i + 5]; }",
        "for (i, j) in par((0..h, 0..w)) { x[2 * (i * w + j)] = x[2 * (j * w + i) + 1]; }",
    ]);
    refused(&[
        ("for i in par((0..n).step_by(2)) { x[i] = x[i + 2]; }", "i = 2 writes `x[2]` (line 1), and i = 0 reads it"),
        ("for i in par((0..n).step_by(2)) { x[i] = 1.0; x[i + 1] = x[i + 3]; }", "loop-carried dependence"),
        ("for i in par(1..n) { x[2 * i] = x[2 * i - 2] + x[2 * i + 1]; }", "loop-carried dependence"),
        ("for i in par(0..n) { x[3 * i] = x[2 * i + 1]; }", "loop-carried dependence"),
        ("for i in par(0..n) { x[2 * i] = x[2 * i + s + 1]; }", "loop-carried dependence"),
        ("for i in par((0..n).step_by(3)) { x[i] = x[i + 1] + x[i + 3]; }", "loop-carried dependence"),
    ]);
}

/// Accesses that lie rows apart.
#[test]
fn rows() {
    accepted(&[
        "for c in par(0..w) { for r in 1..h { x[r * w + c] += x[(r - 1) * w + c]; } }",
        "for c in par(0..8usize) { for r in 1..h { x[r * 8 + c] += x[(r - 1) * 8 + c]; } }",
        "for c in par(0..w) { for r in 1..h { x[r * s + c] += x[(r - 1) * s + c]; } }",
        "for c in par(0..w) { for r in 1..h - 1 { x[r * w + c] = x[(r - 1) * w + c] + x[(r + 1) * w + c]; } }",
        "for (z, c) in par((0..k, 0..w)) { for r in 1..h { x[(z * h + r) * w + c] += x[(z * h + r - 1) * w + c]; } }",
        "for r in par(0..h) { x[r * w] = 1.0; x[r * w + w - 1] = 2.0; }",
        "for (z, r) in par((0..k, 0..h)) { x[(z * h + r) * w] = 1.0; x[(z * h + r) * w + w - 1] = 2.0; }",
    ]);
    refused(&[
        ("for c in par(0..w) { for r in 1..h { x[r * w + c] += x[(r - 1) * w + c + 1]; } }", "loop-carried dependence"),
        ("for r in par(1..h) { for c in 0..w { x[r * w + c] += x[(r - 1) * w + c]; } }", "loop-carried dependence"),
        ("for r in par(0..h) { x[r * w] = 1.0; x[r * w + w] = 2.0; }", "loop-carried dependence"),
    ]);
}

/// Triangles of a plane, and mirror images.
#[test]
fn mirrors() {
    let swap = "{ let t = x[i * n + j]; x[i * n + j] = x[j * n + i]; x[j * n + i] = t; }";
    let around = ["if j < i", "if j > i", "if i <= j { continue; }"];
    accepted(&around.map(|around| format!("for (i, j) in par((0..n, 0..n)) {{ {around} {swap} }}")));
    accepted(&["0..i", "i + 1..n"].map(|around| format!("for i in par(0..n) {{ for j in {around} {swap} }}")));
    accepted(&[
        "for (i, j) in par((0..n, 0..n)) { if i < j { x[j * n + i] = x[i * n + j]; } }",
        "for i in par(0..n) { for j in i..n { x[i * n + j] = 1.0; } }",
        "for i in par(0..n) { for j in 0..i { x[j * n + i] = 1.0; } }",
        "for i in par(0..n / 2) { let t = x[i]; x[i] = x[n - 1 - i]; x[n - 1 - i] = t; }",
        "for i in par(0..x.len() / 2) { let t = x[i]; x[i] = x[x.len() - 1 - i]; x[x.len() - 1 - i] = t; }",
        "for i in par(0..n / 3) { x[i] = x[n - 1 - 2 * i]; }",
        // With odd `n`: the launch has it.
        "for i in par(0..n / 2 + 1) { x[i] = x[n - 1 - i]; }",
    ]);
    refused(&[
        ("for (i, j) in par((0..n, 0..n)) { if j != i { x[i * n + j] = x[j * n + i]; } }", "loop-carried dependence"),
        ("for i in par(0..n) { x[i] = x[i + k]; }", "with k = 1, i = 1 writes `x[1]`"),
        (
            "for (i, j) in par((0..n, 0..n)) { if j < i { x[i * n + j] = x[j * n + i + 1]; } }",
            "loop-carried dependence",
        ),
        ("for i in par(0..n) { for j in 0..n { x[i * n + j] = x[j * n + i]; } }", "loop-carried dependence"),
        ("for i in par(0..n) { x[i] = x[n - 1 - i]; }", "loop-carried dependence"),
    ]);
}

/// Numbers that are taken apart, and put together again.
#[test]
fn quotients() {
    accepted(&[
        "for i in par(0..n) { let r = i / w; let c = i % w; x[r * w + c] = 1.0; }",
        "for i in par(0..n) { x[w * (i / w) + i % w] += y[i]; }",
        "for i in par(0..n) { let (r, c) = (i / w, i % w); for k in 0..3 { x[3 * (r * w + c) + k] = 1.0; } }",
        "for i in par(0..n) { let rest = i / w; let (z, r) = (rest / h, rest % h); x[(z * h + r) * w + i % w] = 1.0; }",
        "for i in par(0..n as u32) { let (r, c) = (i / 8, i % 8); x[(8 * r + c) as usize] = 1.0; }",
        // With some numbers: the launch has them.
        "for i in par(0..n) { let r = i / w; let c = i % w; x[r * h + c] = 1.0; }",
        "for i in par(0..n) { let r = i / h; let c = i % w; x[r * w + c] = 1.0; }",
        "for i in par(0..n) { let r = i / w; let c = i % w; x[r * w + w - c] = 1.0; }",
        // Those that meet are further apart than any that are tried.
        "for i in par(0..n) { let a = 3 * i as u8; x[a as usize / 5 * 5 + a as usize % 5] = 1.0; }",
        "for i in par(0..n) { let a = i as u8; x[(a / 5) as usize * 5 + (a % 5) as usize] = 1.0; }",
    ]);
    refused(&[(
        "for i in par(0..64usize) { let r = i / 8; let c = i % 8; x[4 * r + c] = 1.0; }",
        "i = 4 and i = 8 both write `x[4]`",
    )]);
}

/// An example is of two iterations that there are, that come to both accesses, and that touch one
/// element there.
#[test]
fn examples_are_true() {
    let with = [
        // Only neighbours of one colour meet.
        (
            "for (i, j) in par((1..h, 1..w)) { if (i + j) % 2 == 0 { x[i * w + j] = x[i * w + j + 2]; } }",
            "(1, 3) writes `x[8]` (line 1), and (i, j) = (1, 1) reads it",
        ),
        (
            "for i in par(0..n) { if i % 3 == 1 { x[i] = x[i + 3]; } }",
            "i = 7 writes `x[7]` (line 1), and i = 4 reads it",
        ),
        (
            "for i in par(0..n) { let j = i / 2; if j < 4 && i > 2 { x[i] = x[i + 1]; } }",
            "i = 4 writes `x[4]` (line 1), and i = 3 reads it",
        ),
        (
            "for i in par(0..n) { for j in (0..8).step_by(4) { x[4 * i + j] = 1.0; } }",
            "i = 0 and i = 1 both write `x[4]`",
        ),
        // Of what iterations load, each may have its own.
        (
            "for i in par(0..n) { if y[i] > 0.5 { x[0] = 1.0; } }",
            "example: with some values in `y`, i = 0 and i = 1 both write `x[0]`",
        ),
        (
            "for i in par(0..n) { let v = y[i]; if v > 0.5 { x[0] = 1.0; } }",
            "example: with some values in `y`, i = 0 and i = 1 both write `x[0]`",
        ),
        (
            "for i in par(0..n) { if y[i] > y[0] || i == 7 { x[0] = 1.0; } }",
            "example: with some values in `y`, i = 1 and i = 2 both write `x[0]`",
        ),
        // The length of a grid is the product of its extents.
        (
            "for (i, j) in par((0..3usize, g.len()..g.len() + 2)) { g[[0, i]] += j as f32; }",
            "with g.len() = 30, g.shape() = [5, 6], ",
        ),
        // A larger `w` makes fewer iterations.
        ("for (i, j) in par((0..n, 0..n - w)) { x[i] = 1.0; }", "w = "),
    ];
    refused(&with);
    // An iteration that has failed before comes to no access.
    let fails = said("for i in par(0..n) { let sum = sum(&y[w + 1..w]); x[0] = sum; }");
    assert!(fails.contains("does not depend on `i`") && !fails.contains("example"), "{fails}");
    // The start is 253, so there are no rounds.
    let empty = said("for i in par(0..n) { for q in (256i64 as u8) - 3u8..(256i64 as u8) + 3u8 { x[0] = 1.0; } }");
    assert!(empty.contains("does not depend on `i`") && !empty.contains("example"), "{empty}");
}

/// What a `for` of the host part counts is as small as its range says, also in examples.
#[test]
fn variables_of_the_host_part() {
    let colored = |host: &str, condition: &str| {
        let body = "x[i * w + j] = x[i * w + j - 1] + x[i * w + j + 1];";
        format!("{host} {{ for (i, j) in par((1..h, 1..w)) {{ if {condition} {{ {body} }} }} }}")
    };
    let right = [
        ("for c in 0..2", "(i + j) % 2 != c"),
        ("for c in 0..=1usize", "c != (i + j) % 2"),
        ("const COLORS: usize = 2; for c in 0..COLORS", "(i + j) & 1 != c"),
        ("for c in (0..2).rev()", "(i + j) % 2 != c"),
        ("for c in [0, 1]", "(i + j) % 2 != c"),
        ("for c in 0..s", "(i + j) % 2 != c"),
        ("for c in 0..1", "(i + j) % 3 == c"),
        ("for c in 0..2", "(i + j) % 2 + c == 1"),
    ];
    accepted(&right.map(|(host, condition)| colored(host, condition)));
    // It is another variable.
    accepted(&[format!("for c in 2..4 {{ let c = c - 2; {} }}", colored("", "(i + j) % 2 != c"))]);
    let wrong = [
        ("for c in 2..4", "(i + j) % 2 != c", "c = 2"),
        ("for c in 0..2", "(i + j) % 3 != c", "c = 0"),
        ("for c in 7..8", "(i + j) % 3 != c", "c = 7"),
        ("", "(i + j) % 3 != s", "s = "),
    ];
    for (host, condition, example) in wrong {
        let body = colored(host, condition);
        let said = said(&body);
        assert!(said.contains("loop-carried dependence") && said.contains(example), "{body}\n{said}");
    }
}

/// Where no two iterations are found that meet, the launch decides: these are right, or only some
/// sizes show that they are not.
#[test]
fn nothing_is_refused_without_a_reason() {
    let five_points = "x[i * w + j] = x[i * w + j - 1] + x[i * w + j + 1];";
    let over = |body: String| format!("for (i, j) in par((1..h, 1..w)) {{ {body} }}");
    accepted(&[
        over(format!("if (i + j) % 2 == k {{ {five_points} }}")),
        over(format!("if (i + j) % 2 == idx[0] as usize {{ {five_points} }}")),
        over(format!("let c = idx[i] as usize; if (i + j) % 2 == c {{ {five_points} }}")),
        over(format!("if (i ^ j) & 1 == 0 {{ {five_points} }}")),
        over(format!("match (i + j) % 2 {{ 0 => {{ {five_points} }} _ => {{}} }}")),
        over(format!("if (i ^ j) & 1 == 0 {{ continue; }} {five_points}")),
    ]);
    // Of two colors, what is not one is the other one.
    accepted(&["k", "k as usize", "(1 - k)"].map(|k| over(format!("if (i + j) % 2 != {k} {{ {five_points} }}"))));
    accepted(&[
        // Half the iterations, and rows of triangles.
        over(format!("let j = 1 + 2 * j + (i + k) % 2; if j < w {{ {five_points} }}")),
        over(format!("let j = 2 * j + ((i + k) & 1); if j < w {{ {five_points} }}")),
        "for i in par(0..n) { for j in 0..=i { x[i * (i + 1) / 2 + j] = 1.0; } }".to_owned(),
        "for i in par(1..n) { for j in 0..i { x[i * (i - 1) / 2 + j] = 1.0; } }".to_owned(),
        "for i in par(0..n) { for j in i..n { x[i * n - i * (i + 1) / 2 + j] = 1.0; } }".to_owned(),
        "for i in par(0..n) { for v in x[i * (i + 1) / 2..(i + 1) * (i + 2) / 2].iter_mut() { *v = 1.0; } }".to_owned(),
    ]);
    accepted(&[
        "for i in par(0..n) { for j in 0..4 { if j == 1 { break; } x[3 * i + j] = 1.0; } }",
        // They meet nobody but themselves, on the diagonal and in the middle.
        "for (i, j) in par((0..n, 0..n)) { if j <= i { x[i * n + j] = x[j * n + i]; } }",
        "for i in par(0..n) { for j in i..n { x[i * n + j] = x[j * n + i]; } }",
        "for i in par(0..n / 2) { x[i] = x[n - 2 - i]; }",
        // Rows and a column that is not theirs, or is.
        "for r in par(0..h) { x[r * w] = 1.0; x[r * w + s] = 2.0; }",
        // Ghost rows: what is copied, and to where.
        "for j in par(0..w) { x[j] = x[(h - 2) * w + j]; x[(h - 1) * w + j] = x[w + j]; }",
        // Grid strides.
        "for t in par(0..256) { for i in (t..n).step_by(256) { x[i] = 1.0; } }",
        "for t in par(0..s) { for i in (t..n).step_by(s) { x[i] = 1.0; } }",
        // Sizes are one number, and a choice of numbers is not data.
        "for i in par(0..n) { let k = if i < s { 1 } else { 2 }; x[4 * i + k] = 1.0; }",
    ]);
}

/// A component of an index at a time: no stride is needed.
#[test]
fn grids() {
    let over = |body: &str| format!("for (i, j) in par((1..h, 1..w)) {{ {body} }}");
    accepted(&[
        over("g[[i, j]] = y[i];"),
        over("g[[j, i]] += 1.0;"),
        over("g[[i, n - j]] = g[[i, n - j]] * 2.0;"),
        over("if j < i { let t = g[[i, j]]; g[[i, j]] = g[[j, i]]; g[[j, i]] = t; }"),
        over("for z in 0..n { v[[z, i, j]] = v[[z, i, j]] + 1.0; }"),
        over("v[[idx[i] as usize, i, j]] = 1.0;"),
        over("let p = [i, j]; g[p] = 1.0;"),
        over("let [h, w] = g.shape(); if i < h && j < w { g[[i, j]] = g.shape()[0] as f32; }"),
        over("unsafe { g[[idx[i] as usize, j]] = 1.0; }"),
    ]);
    accepted(&[
        "for (i, j) in par((0..h, (1..w).step_by(2))) { g[[i, j]] = g[[i, j - 1]]; }",
        "for i in par(0..n) { g[[i, idx[i] as usize]] = 1.0; let k = idx[i] as usize; g[[i, k]] += g[[i, 0]]; }",
        "for i in par(0..n) { for j in 1..w { g[[i, j]] = g[[i, j - 1]]; g[[i, 0]] += g[[i, w - 1]]; } }",
        "for i in par(0..n) { for j in 1..w { g[[j, i]] = g[[j - 1, i]]; } }",
        "for i in par(0..n) { g[[0, i]] = g[[1, i]]; }",
        // Which row that is the launch knows.
        "for i in par(0..n) { g[[k, i]] = g[[0, idx[i] as usize]]; }",
        "for i in par(0..n) { g[[i, i]] = 1.0; g[[i, i + 1]] = 2.0; }",
    ]);
    refused(&[
        ("for (i, j) in par((0..h, 0..w)) { g[[i, 0]] = 1.0; }", "`g[[i, 0]]` does not depend on `j`"),
        (
            "for (i, j) in par((0..h, 0..w)) { g[[i, 0]] = 1.0; }",
            "(i, j) = (0, 0) and (i, j) = (0, 1) both write `g[[0, 0]]`",
        ),
        ("for (i, j) in par((0..h, 0..w)) { g[[j, 0]] = 1.0; }", "`g[[j, 0]]` does not depend on `i`"),
        ("for (i, j) in par((0..h, 0..w)) { g[[i, i]] = 1.0; }", "does not depend on `j`"),
        (
            "for (i, j) in par((0..h, 1..w)) { g[[i, j]] = g[[i, j - 1]]; }",
            "loop-carried dependence between `g[[i, j - 1]]` and `g[[i, j]]`",
        ),
        (
            "for (i, j) in par((0..h, 1..w)) { g[[i, j]] = g[[i, j - 1]]; }",
            "(i, j) = (0, 1) writes `g[[0, 1]]` (line 1), and (i, j) = (0, 2) reads it",
        ),
        ("for (i, j) in par((0..h, 0..w)) { g[[i, j]] = g[[i + 1, j]]; }", "loop-carried dependence"),
        ("for (i, j) in par((0..h, 0..w)) { g[[i, j]] = g[[j, i]]; }", "loop-carried dependence"),
        ("for (i, j) in par((0..h, 0..w)) { g[[i, i + j]] = 1.0; g[[i, 2 * j]] = 2.0; }", "writes it, too"),
        ("for (i, j) in par((0..h, 0..w)) { g[[i + j, i + j]] = 1.0; }", "[AB"),
        (
            "for (i, j) in par((0..h, 0..w)) { v[[i, j, j / 2]] = v[[i, j + 1, (j + 1) / 2]]; }",
            "(i, j) = (0, 1) writes `v[[0, 1, 0]]` (line 1), and (i, j) = (0, 0) reads it",
        ),
        ("for (i, j) in par((0..h, 0..w)) { g[[i, idx[j] as usize]] = 1.0; }", "may be the same in several iterations"),
        (
            "for (i, j) in par((0..h, 0..w)) { let k = idx[j] as usize; g[[i, k]] = 1.0; }",
            "may be the same in several iterations",
        ),
        ("for i in par(0..n) { put(&mut g); }", "lends all of `g`"),
        ("for (i, j) in par((0..h, 0..w)) { put(&mut g[[i, 0]]); }", "does not depend on `j`"),
    ]);
}

/// What is made of an unknown number may be equal in two iterations, or differ in all: nobody can
/// say that it does not depend on them.
#[test]
fn unknown_numbers() {
    let indexes = ["k % 7", "k & 3", "k.min(3)", "k / 2", "k", "n - k", "k % w + s"];
    let unknown = ["i.overflowing_add(1).0", "[i; 2][0]", "{ let mut k = i; while k > 7 { k /= 2; } k }"];
    for (index, number) in indexes.iter().flat_map(|index| unknown.iter().map(move |number| (index, number))) {
        let body = format!("for i in par(0..8) {{ let k = {number}; x[{index}] = 1.0; }}");
        refused(&[(&body, "may be the same in several iterations")]);
    }
}

/// A loop whose strides are host values is right if they are large enough.
#[test]
fn strides_of_the_host() {
    accepted(&[
        "for (a, i, j) in par((0..n, 0..h, 0..w)) { x[a * s + i * k + j] = 1.0; }",
        "let plane = h * w; for (a, i, j) in par((0..n, 0..h, 0..w)) { x[a * plane + i * w + j] = 1.0; }",
        "let row = w.next_multiple_of(32); let plane = row * h; for (a, i, j) in par((0..n, 0..h, 0..w)) { x[a * plane + i * row + j] = 1.0; }",
        "let m = n * n; for (a, i, j) in par((1..n - 1, 1..n - 1, 1..n - 1)) { x[a * m + i * n + j] = 1.0; }",
        "for (a, i) in par((0..n, 0..h)) { for j in 0..w { x[a * s + i * w + j] = 1.0; } }",
        "for (a, i) in par((0..3, 0..n)) { for c in 0..3 { x[a * s + i * k + 3 * c] = 1.0; } }",
        "for i in par(0..n) { for j in 0..64 { x[i * s + j] = 1.0; } }",
        "for i in par(0..n) { put(&mut x[i * s..i * s + 200]); }",
        "for b in par_blocks((0..h, 0..w)).threads((8, 8)) { let (p, q) = b.index(); for (r, c) in b.par((0..8, 0..8)) { x[(p * 8 + r) * s + q * 8 + c] = 1.0; } }",
        "for b in par_blocks((0..n, 0..h)).threads(64) { let (p, q) = b.index(); for t in b.par(0..64) { x[p * s + q * k + t] = 1.0; } }",
        "for (i, j) in par((0..h, 0..3 * w)) { x[i * s + j] = 1.0; }",
        "for (i, j) in par((0..n / 4, s..2 * s)) { x[i * w + j] = 1.0; }",
        "for (i, j) in par((0..n, 0..n - k)) { x[i * w + j] = 1.0; }",
        "for (i, j) in par(((0..h).step_by(k), 0..2 * w)) { x[i * s + j] = 1.0; }",
        "for (i, j) in par((0..n / 4, 0..w.min(k))) { x[i * s + j] = 1.0; }",
    ]);
    refused(&[
        ("for i in par(0..n) { x[i / s] += 1.0; }", "both write `x[0]`"),
        ("for i in par(0..n - k) { x[i] += x[i + k]; }", "loop-carried dependence"),
        ("for i in par(k..n - k) { x[i] = x[i - k] + x[i + k]; }", "loop-carried dependence"),
        ("for (i, j) in par((0..h - k, 0..w)) { x[i * w + j] = x[(i + k) * w + j]; }", "loop-carried dependence"),
        ("for i in par(0..n) { if i % k == 0 { x[0] = 1.0; } }", "does not depend on `i`"),
    ]);
}

/// A number that has wrapped, or an iteration that has ended, makes no example.
#[test]
fn numbers_below_0() {
    let first = said("for (i, j) in par((0..=n, (0..w).step_by(4))) { x[i.saturating_sub(1) * 8 + j] += 1.0; }");
    assert!(!first.contains("(0, 8)"), "{first}");
    for body in [
        "for i in par(0..n) { x[2 * i] = x[(i as i32 - 1) as usize]; }",
        "for i in par(0..n) { for p in i..i + 2 { x[(p as i32 - 1) as usize] = 1.0; } }",
    ] {
        let said = said(body);
        assert!(!said.contains("i = 0 "), "{body}\n{said}");
    }
    let moved = "for i in par(0..n) { let j = idx[i] as usize; x[i + j] = y[i]; }";
    assert!(said(moved).contains("unsafe { x[i + j] = … }"), "{}", said(moved));
}
