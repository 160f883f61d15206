//! Phases that are decided by running the block's program: accepted, refused, or left to the
//! launch.

use super::{errors, soundness};

#[derive(Debug, PartialEq)]
enum Said {
    Accepted,
    Refused(String),
    /// What today's rules and the launch say.
    Left,
}

fn source(body: &str) -> String {
    format!(
        "fn k<const N: usize>(x: &mut [u32], y: &[u32], n: usize, m: usize) {{
            for block in par_blocks(0..n).threads(64) {{ let b = block.index(); {body} }} }}"
    )
}

fn said(body: &str) -> Said {
    let source = source(body);
    match errors(&source) {
        none if none == "no error" => {
            let undecided = soundness::phases_of(&source);
            if undecided == 0 { Said::Accepted } else { Said::Left }
        }
        said => Said::Refused(said),
    }
}

fn accepted(bodies: &[&str]) {
    bodies.iter().for_each(|body| assert_eq!(said(body), Said::Accepted, "{body}"));
}

fn left(bodies: &[&str]) {
    for body in bodies {
        match said(body) {
            Said::Left => {}
            Said::Accepted => panic!("a phase is accepted, but nothing shows it to be right: {body}"),
            Said::Refused(said) => panic!("this is no meeting that is certain: {body}\n{said}"),
        }
    }
}

fn refused(cases: &[(&str, &str)]) {
    for (body, words) in cases {
        match said(body) {
            Said::Refused(said) => assert!(said.contains(words), "{body}\n{said}"),
            said => panic!("{body}\n{said:?}"),
        }
    }
}

const PING_PONG: &str = "let mut s = block.shared([[0u32; 64]; 2]);
    for k in 0..6 { for t in block.threads() { s[WRITE][t] = s[READ][(t + 1) % 64]; } }";

#[test]
fn ping_pong() {
    let by_parity = |write: &str, read: &str| said(&PING_PONG.replace("WRITE", write).replace("READ", read));
    assert_eq!(by_parity("(k + 1) % 2", "k % 2"), Said::Accepted);
    assert_eq!(by_parity("1 - k % 2", "k % 2"), Said::Accepted);
    assert_eq!(by_parity("k & 1 ^ 1", "k & 1"), Said::Accepted);
    assert!(matches!(by_parity("k % 2", "k % 2"), Said::Refused(_)));
    let turns = |read: &str| {
        format!(
            "let mut s = block.shared([[0u32; 64]; 2]); let mut from = 0;
             for _ in 0..6 {{ for t in block.threads() {{ s[1 - from][t] = s[{read}][(t + 1) % 64]; }} from = 1 - from; }}"
        )
    };
    accepted(&[&turns("from")]);
    refused(&[(&turns("1 - from"), "example: with from = 0: t = 0 writes `s[1][0]` (line 3), and t = 63 reads it")]);
    accepted(&[
        "let mut s = block.shared([[0u32; 64]; 2]); let mut flip = false;
        for _ in 0..6 { for t in block.threads() { s[!flip as usize][t] = s[flip as usize][63 - t]; } flip = !flip; }",
    ]);
}

#[test]
fn fast_fourier_transforms() {
    let stockham = |factor: &str| {
        format!(
            "let mut p = block.shared([0u32; 64]); let mut q = block.shared([0u32; 64]); let mut s = 1;
             while s < 64 {{
                 for k in block.par(0..32) {{
                     let (i, j) = (k / s, k % s); q[i * {factor}s + j] = p[k]; q[i * {factor}s + j + s] = p[k + 32];
                 }}
                 for t in block.par(0..64) {{ p[t] = q[t]; }}
                 s *= 2;
             }}"
        )
    };
    accepted(&[&stockham("2 * ")]);
    refused(&[(&stockham(""), "example: with s = 1: k = 0 and k = 1 both write `q[1]`")]);
    let butterflies = |at: &str| {
        format!(
            "let mut p = block.shared([0u32; 64]);
             for r in 0..6 {{
                 let s = 1 << r;
                 for k in block.par(0..32) {{
                     let at = {at}; let (u, v) = (p[at], p[at + s]); p[at] = u + v; p[at + s] = u - v;
                 }}
             }}"
        )
    };
    accepted(&[&butterflies("k / s * 2 * s + k % s")]);
    refused(&[(&butterflies("k / s * s + k % s"), "k = 0 writes `p[1]`")]);
}

#[test]
fn doubling_strides() {
    let strides = |body: &str| {
        format!(
            "let mut p = block.shared([0u32; 64]); let mut s = 1;
             while s < 64 {{ for t in block.par(0..64 / (2 * s)) {{ {body} }} s *= 2; }}"
        )
    };
    accepted(&[&strides("p[t * 2 * s] += p[t * 2 * s + s];")]);
    refused(&[(&strides("p[t * s] += p[t * s + s];"), "with s = 1: t = 1 writes `p[1]` (line 3), and t = 0 reads it")]);
    // The greatest number that every type holds is below the greatest index.
    accepted(&["let mut p = block.shared([0u32; 1024]); let mut s = 1usize;
        while s < 1024 { for t in block.par(0..1024 / (2 * s)) { p[t * 2 * s] += p[t * 2 * s + s]; } s *= 2; }"]);
}

#[test]
fn elimination() {
    let lu = |first: &str, row: &str| {
        format!(
            "let mut a = block.shared([[0u32; 16]; 16]);
             for k in 0..16 {{
                 for t in block.par({first}..16) {{
                     let f = a[t][k] / a[k][k];
                     a[t][k] = f;
                     for j in k + 1..16 {{ a[t][j] -= f * a[{row}][j]; }}
                 }}
             }}"
        )
    };
    accepted(&[&lu("k + 1", "k")]);
    refused(&[(&lu("k", "k"), "with k = 0: t = 0 writes"), (&lu("k + 1", "k + 1"), "with k = 0:")]);
}

/// A phase `for t in block.par(0..8) { … }` behind a block's program, with an array of 64
/// elements.
fn phase(program: &str, phase: &str) -> String {
    format!("let mut p = block.shared([0u32; 64]); {program} for t in block.par(0..8) {{ {phase} }}")
}

fn left_phases(cases: &[(&str, &str)]) {
    cases.iter().for_each(|(program, body)| left(&[&phase(program, body)]));
}

fn accepted_phases(cases: &[(&str, &str)]) {
    cases.iter().for_each(|(program, body)| accepted(&[&phase(program, body)]));
}

fn refused_phases(cases: &[(&str, &str, &str)]) {
    cases.iter().for_each(|(program, body, words)| refused(&[(&phase(program, body), words)]));
}

/// Numbers are known only if they are exact in every type that rustc may find.
#[test]
fn types_of_numbers() {
    left_phases(&[
        ("let mut s: u8 = 200; s += 100;", "p[t * s as usize] = 1;"),
        ("let s = 200; let w: u8 = s;", "p[t * 0 + (s + 100) as usize] = 1;"),
        ("let s = 200u8;", "p[t * (s + 56) as usize] = 1;"),
        ("let s = 64u8 * 4;", "p[t * s as usize] = 1;"),
        ("let s = 100i8; let q = s + s;", "p[t * q as usize] = 1;"),
        ("let s = 2;", "p[(t as u8 * 128 * s) as usize] = 1;"),
        ("let s = 7f32 / 2.0;", "p[t * s as usize] = 1;"),
        ("let s = 5f32;", "p[t * (s / 2.0) as usize] = 1;"),
        ("let s = -1;", "p[(t as i32 + s) as usize] = 1;"),
        ("let s = 1usize << 31;", "p[t * (s * 2 / s)] = 1;"),
        ("type usize = u8; let s = 255 as usize + 1;", "p[t * s] = 1;"),
        ("let s: u128 = 1; let q = s << 40;", "p[t * q as usize] = 1;"),
        ("let s = N;", "p[t * s] = 1;"),
        // Nothing but the array itself is indexed by `usize`, and numbers of bits are of any type.
        (
            "let own = y[0]; let mut v = block.shared([own; 8]); let q = 100 + 100;",
            "let w = v[t][q]; p[t * q as usize] = w;",
        ),
        ("let r = 100; let q = r + r;", "let w = 1usize << r; p[t * q as usize] = w as u32;"),
        ("const K: usize = { 0 }; let s = K;", "p[t * s] = 1;"),
    ]);
    accepted_phases(&[
        ("let s = 3;", "p[t * s + s] = 1;"),
        ("let s = 8u32; let q = s / 2;", "p[t * q as usize] = 1;"),
        ("let s = 4; let w: u8 = s;", "p[t * s as usize] = 1;"),
        ("let s = 1 + 2;", "p[(t * s) as usize] = 1;"),
        ("let s = true;", "p[t * (1 + s as usize)] = 1;"),
    ]);
    refused_phases(&[
        ("let s = 0;", "p[t * s] = 1;", "with s = 0: t = 0 and t = 1 both write `p[0]`"),
        ("let s = 3;", "let t = t / s; p[t] += 1;", "t = 0 and t = 1 both write `p[0]`"),
    ]);
}

/// An evaluation that fails takes no access away, and no pair behind it is certain.
#[test]
fn failures() {
    left_phases(&[
        ("let z = 0;", "p[t / z] = 1;"),
        ("let z = 0;", "let q = t / z; p[0] = q as u32;"),
        ("let s = 0;", "p[(t + s - 1) % 8] = 1;"),
        ("let s = 40;", "p[t << s] = 1;"),
        ("let s = 2;", "if t * s > 2 { panic!(); } if t * s > 2 { p[0] = 1; }"),
        ("let s = 9;", "p[64 + t * s] = 1; p[s] = 1;"),
        ("let s = 0;", "assert!(t * s != 0); p[s] = 1;"),
        ("let s = 0;", "assert!(t < 1); p[t * s] = 1;"),
        ("let s = 0;", "debug_assert!(t < 1); p[t * s] = 1;"),
        ("let s = 0; assert!(s == 1);", "p[t * s] = 1;"),
        ("let s = 0; panic!();", "p[t * s] = 1;"),
        ("let mut z = 4; z /= 0;", "p[t * z] = 1; p[t / 8] = 2;"),
    ]);
}

/// What may change a variable, or read another value of it.
#[test]
fn changes() {
    left_phases(&[
        ("let mut s = 1; let r = &mut s; *r = 0;", "p[t * s] = 1;"),
        ("let mut s = 1; zero(&mut s);", "p[t * s] = 1;"),
        ("let mut s = 1; s.zero();", "p[t * s] = 1;"),
        ("let s = 1;", "let f = |i: usize| i * s; p[f(t)] = 1;"),
        ("let s = 1;", "let f = |i: usize| { let v = p[i * s]; v }; p[t] = f(t + 1);"),
        ("let a = [1, 0]; let s = a[1];", "p[t * s] = 1;"),
        ("let a = (1, 0); let s = a.1;", "p[t * s] = 1;"),
        ("let s = n;", "p[t * s] = 1;"),
        ("let s = b;", "p[t * s] = 1;"),
        ("let s = y[b] as usize;", "p[t * s] = 1;"),
        ("let s = p[0] as usize;", "p[t * s] = 1;"),
        ("let s = 1usize.min(n);", "p[t * s] = 1;"),
        ("let s = 1usize.pow(2);", "p[t * s] = 1;"),
        ("let mut s = 1; for _ in 0..m { s = 0; }", "p[t * s] = 1;"),
        ("let mut s = 1; if m > 3 { s = 0; }", "p[t * s] = 1;"),
        ("let mut s = 1; 'a: { if m > 3 { break 'a; } s = 0; }", "p[t * s] = 1;"),
        ("let mut s = 1; if m > 3 && { s = 0; true } {}", "p[t * s] = 1;"),
        ("let mut s = 0; if m > 3 && { s = 1; true } {}", "p[t * s] = 1;"),
        ("let mut s = 0; if m > 3 && s == 0 { s = 1; }", "p[t * s] = 1;"),
        ("let mut s = 1; let mut q = n; (s, q) = (q, s);", "p[t * s] = 1;"),
        ("let mut s = 1; let q = if m > 1 { s = 0; 1 } else { 2 };", "p[t * s + 0 * q] = 1;"),
        ("let s = match m { 0 => 0, _ => 1 };", "p[t * s] = 1;"),
        ("let mut s = 1; match m { 0 => s = 0, _ => {} }", "p[t * s] = 1;"),
        ("let mut s = 1; while m > s { s = 0; if m > 7 { break; } }", "p[t * s] = 1;"),
        ("let mut s = 1; loop { if m > 7 { break; } s = 0; }", "p[t * s] = 1;"),
        ("let mut s = 1; for v in [1, 2] { s = v - 1; }", "p[t * s] = 1;"),
        ("let mut s = 1; debug_assert!({ s = 0; true });", "p[t * s] = 1;"),
        ("let mut own = block.each(1usize); let s = 1;", "p[t * own * s] = 1;"),
        ("let s = 1;", "let r = &mut p[t * s..]; r[0] = 1;"),
        ("let s = 1; if m > 2 { return_early(m); }", "if y[t] > 3 { p[t / 2 * s] = 1; }"),
        ("let s = 1; for k in 0..m {", "p[t * (k + s)] = 1; }"),
        ("let s = 2;", "let mut q = t; while q < y[t] as usize { q += s; p[q] = 1; }"),
        ("let s = 1;", "for j in 0..m { p[(t + j) * s] = 1; }"),
        ("let s = 2;", "if y[t] > 3 { p[t] = 1; } p[t / s] = 2;"),
    ]);
    accepted_phases(&[
        ("let mut s = 0; s += 2; s -= 1;", "p[t * s] = 1;"),
        ("let mut s = 1; if m > 3 { s = 2; }", "p[t * s] = 1;"),
        ("let (s, q) = (2, 1);", "p[t * s + q] = 1;"),
        ("let s; if m > 3 { s = 2; } else { s = 3; }", "p[t * s] = 1;"),
        ("let s = 2;", "let mut q = t; while q < 64 { p[q] = 1; q += 4 * s; }"),
        ("let s = 2;", "for j in (0..s).rev() { p[t * s + j] = 1; }"),
        ("let s = 2;", "for j in (t..64).step_by(4 * s) { p[j] = 1; }"),
        ("let s = 2;", "if y[t] > 3 { p[t * s] = 1; } else { p[t * s + 1] = 1; }"),
        ("let s = 2;", "unsafe { p[s] = 1; } p[t * s] = 2;"),
        ("let mut s = 8; for _ in 0..m { s = 9 - s; }", "p[t * s] = 1; p[t * s] += 1;"),
        ("let s = 1; { let s = 0; }", "p[t * s] = 1;"),
        ("let mut s = 4; for k in 0..3 { if k == 1 { continue; } s -= 1; if k == 2 { break; } }", "p[t * s] = 1;"),
        ("let mut s = 1; let q = { s = 2; s } + s;", "p[t * q] = 1;"),
    ]);
    refused_phases(&[
        ("let mut s = 1; s *= 0;", "p[t * s] = 1;", "both write `p[0]`"),
        ("let s = 0;", "let mut q = 1; p[{ q = 0; t * s }] = q;", "both write `p[0]`"),
        ("let s = 4;", "for j in 0..=s { p[t * s + j] = 1; }", "t = 0 and t = 1 both write `p[4]`"),
        ("let s = 2;", "if t > 3 { p[t / s] = 1; }", "t = 4 and t = 5 both write `p[2]`"),
    ]);
}

#[test]
fn a_loop_variable_that_the_body_changes() {
    let body = "let mut p = block.shared([0u32; 8]);
        for t in block.threads() { let mut s = t; for mut q in RANGE { if q == 0 { s = t; } p[s] = 1; s = 0; q = 0; NEXT } }";
    let with = |range: &str, next: &str| body.replace("RANGE", range).replace("NEXT", next);
    left(&[&with("0..n", ""), &with("(0..8).step_by(n)", ""), &with("0..n", "continue;")]);
    refused(&[(&with("0..3", ""), "both write `p[0]`")]);
    left(&["let mut p = block.shared([0u32; 8]); let (mut s, mut round) = (1, 0);
        for mut i in 0..n { if round == 1 { if i == 1 { s = 0; } }
            for t in block.threads() { p[t % 8 * s] = 1; } round = 1; i = 5; }"]);
}

#[test]
fn parts_of_elements() {
    let shared = "let row = [0u32; 4]; let mut p = block.shared([row; 8]); for t in block.threads() {";
    let bodies = [
        "fill(&mut p[0][0..2], t as u32); }",
        "for v in p[0][0..2].iter_mut() { *v = t as u32; } }",
        "let r = &mut p[0][1..]; r[0] = 1; }",
        "let n = p[0].len() as u32; let _ = p[1]; p[t] = [n; 4]; }",
    ];
    bodies.iter().for_each(|body| left(&[&format!("{shared} {body}")]));
}
