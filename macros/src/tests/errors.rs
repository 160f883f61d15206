//! Errors: where they point, and what they say.

use insta::assert_snapshot;

use super::{device_errors, errors};
use crate::report::{Code, error};

/// A kernel with these statements in a `par` loop over `x: &mut [f32]`, `y: &[f32]`, with the host
/// value `n`.
fn in_loop(body: &str) -> String {
    errors(&format!("fn k(x: &mut [f32], y: &[f32], n: usize) {{ for i in par(0..n) {{\n{body}\n}} }}"))
}

/// A kernel with this host part over the same parameters.
fn in_host(body: &str) -> String {
    errors(&format!("fn k(x: &mut [f32], y: &[f32], n: usize) {{\n{body}\n}}"))
}

#[test]
fn blocks() {
    let heads = [
        "for block in par_blocks(0..4) { for t in block.threads() { x[t] = 1.0; } }",
        "for block in par_blocks(0..4).threads(n) { for t in block.threads() { x[t] = 1.0; } }",
        "for block in par_blocks(0..4).threads((64, 64)) { for (y, x) in block.threads() {} }",
        "for block in par_blocks(0..4).block(64) { }",
        "for (a, b) in par_blocks((0..4, 0..4)).threads(64) { }",
        "for i in par(0..4).threads(64) { }",
    ];
    let bodies = [
        "let mut k = 0; for t in block.threads() { k += 1; }",
        "for t in block.threads() { for u in block.threads() { } }",
        "for t in block.threads() { break; }",
        "'a: for k in 0..3 { for t in block.threads() { continue 'a; } }",
        "let s = block.each(0); x[block.index()] = s;",
        "if n > 3 { let t = block.shared([0; 4]); }",
        "let t = block.shared(0.0);",
        "let t: [f32; 4] = block.shared([0.0; 4]);",
        "let a = { x[0] = 1.0; 5 };",
        "let k = block.size();",
        "let k = block.threads();",
        "let k = 1 + block.each(2);",
        "for t in block.par(0..=9) { }",
        "for t in block.par(9) { }",
        "for (a, b) in block.threads() { }",
        "let f = |k: usize| x[k]; for t in block.threads() { let a = f(t); }",
        "let mut line = block.shared([0.0; 8]); let row = &mut line[0..2]; for t in block.threads() { row[0] = 1.0; }",
        "let k = if n > 3 { for t in block.threads() { } 1 } else { 2 };",
        "x[0] = if n > 3 { continue } else { 1.0 };",
        "for t in block.threads() { return; }",
    ];
    let bodies = bodies.map(|body| format!("for block in par_blocks(0..n).threads(8) {{ {body} }}"));
    let all = heads.map(str::to_owned).into_iter().chain(bodies);
    let all: Vec<String> = all.map(|case| format!("{case}\n    {}", in_host(&case).replace('\n', "\n    "))).collect();
    assert_snapshot!(all.join("\n"));
}

#[test]
fn atomics_of_blocks() {
    let bodies = [
        "let v = a[0];",
        "let v = a[0].load(Relaxed);",
        "a[0] = 3;",
        "a = a;",
        "x[0] = block.sum(a[0].load(Relaxed) as f32);",
        "let mut e = block.each([const { AtomicU32::new(0) }; 4]);",
        "let mut e = block.shared(const { AtomicU32::new(0) });",
        "let e = block.shared([const { [0.0; 4] }; 4]);",
        "let e = block.shared([const { AtomicU32::new(0) }; n]);",
        "let e = [const { AtomicU32::new(0) }; 4];",
        "for t in block.threads() { let e = block.shared([const { AtomicU32::new(0) }; 4]); e[t].store(1, Relaxed); }",
        "for t in block.threads() { a[t] += 1; }",
        "for t in block.threads() { let all = a; let row = two[t]; }",
        "for t in block.threads() { two[t].fetch_add(1, Relaxed); a.fetch_add(1, Relaxed); a[t][0].fetch_add(1, Relaxed); }",
        "for t in block.threads() { a.reverse(); two[t].fill(0); a[t].abs(); a[t].0.load(Relaxed); }",
        "for t in block.threads() { for v in a { } for v in a.iter() { } for v in &two[t] { } }",
        "for t in block.threads() { a[t].fetch_add(1, SeqCst); a[t].fetch_add(1); a[t].fetch_add::<u32>(1, Relaxed); }",
        "for t in block.threads() { let r = &a[t]; let s = &mut a[t]; f(a); f(a[t]); f(&mut a); }",
        "for t in block.threads() { println!(\"{a:?} {}\", a[t]); }",
        "for t in block.threads() { AtomicU32::fetch_add(&a[t], 1, Relaxed); }",
        "for t in block.threads() { a[0..2][t].load(Relaxed); a[..].len(); (a[t], x[t]) = (1, 2.0); }",
    ];
    let arrays = "let a = block.shared([const { AtomicU32::new(0) }; 4]); \
                  let two = block.shared([[const { AtomicU32::new(0) }; 4]; 4]);";
    let all = bodies.map(|body| {
        let case = format!("for block in par_blocks(0..n).threads(8) {{ {arrays} {body} }}");
        format!("{body}\n    {}", in_host(&case).replace('\n', "\n    "))
    });
    assert_snapshot!(all.join("\n"));
}

#[test]
fn collectives() {
    let bodies = [
        "for t in block.threads() { let s = block.sum(x[t]); }",
        "let s = block.sum(block.sum(1.0));",
        "let f = |a: f32| block.sum(a);",
        "let s = block.sum();",
        "let s = block.sum(1.0, 2.0);",
        "let s = block.broadcast(1.0);",
        "let s = block.mean(1.0);",
        "let s = 1.0 + block.inclusive_sum(1.0);",
        "block.exclusive_sum(1.0);",
        "let mut at = block.exclusive_sum(1.0);",
        "let (at, to) = block.exclusive_sum(1.0);",
        "let at = block.exclusive_sum(1); x[at] = 1.0;",
        "let s = block.sum({ x[0] = 1.0; 2.0 });",
        "let mut k = 0; let s = block.sum({ k += 1; k });",
        "let mut own = block.each(0); let s = block.sum({ own += 1; own });",
        "let s = block.sum({ println!(\"own\"); 1.0 });",
        "let s = block.sum({ let mut k = 0; k += 1; k });",
        "let s = block.sum(if n > 3 { continue } else { 1.0 });",
        "'a: loop { let s = block.sum(if n > 3 { break 'a } else { 1.0 }); }",
        "let s = block.sum({ for t in block.threads() { } 1.0 });",
        "let s = block.sum({ let k = block.each(1.0); k });",
        "x[block.count(n > 3)] = 1.0;",
        "println!(\"{}\", block.count(n > 3));",
        "let b = block.index(); x[b * 2] = block.sum(1.0); x[b * 2 + 1] += if n > 3 { block.max(2.0) } else { 1.0 };",
        "let own = block.each(1.0); let s = block.sum(own) + own;",
    ];
    let all = bodies.map(|body| {
        let case = format!("for block in par_blocks(0..n).threads(8) {{ {body} }}");
        format!("{body}\n    {}", in_host(&case).replace('\n', "\n    "))
    });
    assert_snapshot!(all.join("\n"));
}

#[test]
fn device_code() {
    let cases = [
        "let f = |a| a;",
        "match n { _ => {} }",
        "return;",
        "break;",
        "x[i]?;",
        "let t = (1, 2);",
        "let a = [0; 4];",
        "let s = \"text\";",
        "let r = &n;",
        "println!(\"{x:?} {}\", &x[1..]);",
        "println!(format, i);",
        "let v = Vec::new();",
        "let v = vec![1];",
        "x[i] = PI;",
        "x[i] = std::f32::consts::PI;",
        "y[i] = 1.0;",
        "n = 3;",
        "x = y;",
        "x[i] = y;",
        "x[i] = n[0];",
        "x[i] = y.iter();",
        "x[i] = y[i].min();",
        "x[i] = f32::max(1.0, 2.0);",
        "let z;",
        "for j in y {}",
        "for j in (0..3).rev() {}",
        "for j in par(0..3) {}",
        "stream_parallel! { {} }",
        "let q = if n > 3 { 1 };",
        "let z = x[i] = 1.0;",
        "loop { break 3; }",
        "break 'nowhere;",
        "#[cfg(a)] let t = 1;",
        "fn inner() {}",
        "unsafe { x[i] = 1.0; }",
        "let u: u8 = unknown;",
    ];
    let all = cases.map(|case| format!("{case}\n    {}", in_loop(case).replace('\n', "\n    ")));
    assert_snapshot!(all.join("\n"));
}

#[test]
fn host_part() {
    let par_loop = "for i in par(0..n) { x[i] = 1.0; }";
    let cases = [
        "let a = 1;".to_owned(),
        format!("let f = || {{ {par_loop} }};"),
        format!("let first = x[0]; {par_loop}"),
        format!("helper(x); {par_loop}"),
        format!("let s = x.iter(); {par_loop}"),
        format!("println!(\"{{:?}}\", x); {par_loop}"),
        format!("println!(\"{{:?}}\", x.len()); {par_loop}"),
        format!("x.split_at_mut(3); {par_loop}"),
        format!("let (lo, hi) = y.split_at_mut(3); {par_loop}"),
        format!("let value = read()?; {par_loop}"),
        format!("let f = async {{}}; {par_loop}"),
        "for i in par(n) { x[i] = 1.0; }".to_owned(),
        "for i in par(0..n, 1) { x[i] = 1.0; }".to_owned(),
        "for i in par((0..n, 0..n)) { x[i] = 1.0; }".to_owned(),
        "for (a, b) in par((0..n, 0..n)).step_by(2) { x[a] = 1.0; }".to_owned(),
        "for i in par(0..n).block(0) { x[i] = 1.0; }".to_owned(),
        "for i in par(0..n).chunks(2) { x[i] = 1.0; }".to_owned(),
        "for mut i in par(0..n) { x[i] = 1.0; }".to_owned(),
        format!("#[cfg(a)] {par_loop}"),
        format!("#[cfg_attr(a, inline)] {par_loop}"),
        format!("#[inline] {par_loop}"),
    ];
    let all = cases.map(|case| format!("{case}\n    {}", in_host(&case).replace('\n', "\n    ")));
    assert_snapshot!(all.join("\n"));
}

#[test]
fn groups() {
    let cases = [
        "stream_parallel! {}",
        "stream_parallel! { 'a: {} }",
        "stream_parallel! { for i in par(0..n) { x[i] = 1.0; } }",
        "stream_parallel! { 'a: { for i in par(0..n) { x[i] = 1.0; } }, 'b: { for i in par(0..n) { x[i] = 1.0; } } }",
        "stream_parallel! { 'a: { for i in par(0..n) { x[i] = 1.0; } } 'b: { for i in par(0..n) { x[i] = 2.0; } } }",
        "stream_parallel! { { for i in par(0..n) { x[i] = y[i]; } } { for i in par(0..n) { z[i] = x[i]; } } }",
        "stream_parallel! { 'a: { for i in par(0..n) { x[i] = 1.0; } return; } }",
        "loop { stream_parallel! { 'a: { for i in par(0..n) { x[i] = 1.0; } break; } } }",
        "stream_parallel! { 'a: { for k in 0..3 { for i in par(0..n) { x[i] = 1.0; } break; } } }",
        "stream_parallel! { 'a: { for i in par(0..n) { x[i] = 1.0; } } 'a: { for i in par(0..n) { z[i] = 1.0; } } }",
    ];
    let kernel = |case| errors(&format!("fn k(x: &mut [f32], y: &[f32], z: &mut [f32], n: usize) {{\n{case}\n}}"));
    let all = cases.map(|case| format!("{case}\n    {}", kernel(case).replace('\n', "\n    ")));
    assert_snapshot!(all.join("\n"));
}

#[test]
fn declarations() {
    let body = "{ for i in par(0..3) { x[i] = 1.0; } }";
    let cases = [
        "fn k<T>(x: &mut [T])",
        "async fn k(x: &mut [f32])",
        "unsafe fn k(x: &mut [f32])",
        "const fn k(x: &mut [f32])",
        "extern \"C\" fn k(x: &mut [f32])",
        "fn k(&self, x: &mut [f32])",
        "fn k(x: &mut [f32]) -> f32",
        "fn k(x: [f32])",
        "fn k(x: &mut [f32], (a, b): (u8, u8))",
        "fn k(x: &mut [f32], #[cfg(a)] b: u8)",
        "fn k<'a>(x: &'a mut [f32])",
        "fn k(mut x: &mut [f32])",
        "fn k(x: &mut [f32], f: impl Fn())",
    ];
    let all = cases.map(|case| format!("{case}\n    {}", errors(&format!("{case} {body}")).replace('\n', "\n    ")));
    assert_snapshot!(all.join("\n"));
}

#[test]
fn device_functions() {
    let cases = [
        "fn f(x: &[f32]) -> f32 { 1.0 }",
        "fn f(x: f32) -> f32 { f(x) }",
        "fn f(x: f32) -> f32 { helper::<f32>(x) }",
        "fn f<T>(x: T) -> T { x }",
        "fn f(x: f32) -> f32 { SOFT }",
        "fn f(x: f32) -> f32 { if x > 1.0 { return 2.0; } x }",
    ];
    let all = cases.map(|case| format!("{case}\n    {}", device_errors(case).replace('\n', "\n    ")));
    assert_snapshot!(all.join("\n"));
}

/// Expressions are quoted on one line, otherwise as the user wrote them.
#[test]
fn quotes() {
    for (written, quoted) in [
        ("x[i & 7]", "x[i & 7]"),
        ("x[i&7]", "x[i&7]"),
        ("x[ i  &\n 7 ]", "x[i & 7]"),
        ("x[(i + 1)%8]", "x[(i + 1)%8]"),
        ("x[y[i] as usize]", "x[y[i] as usize]"),
        ("x[if i>1 && n > 2 { 1 } else {2}]", "x[if i>1 && n > 2 { 1 } else { 2 }]"),
    ] {
        let said = in_loop(&format!("{written} = 1.0;"));
        assert!(said.contains(&format!("`{quoted}`")), "{written}: {said}");
    }
    // Tokens of a macro have no places in a source.
    let spaced = |text: &str| super::tokens(text).into_iter().map(unplaced).collect::<proc_macro2::TokenStream>();
    for text in ["i & 7", "a && b", "f(&x)", "-a + b * -c", "*a & &b", "x.len() * 2", "a..b"] {
        assert_eq!(crate::parse::text(spaced(text)), text);
    }
}

fn unplaced(mut tree: proc_macro2::TokenTree) -> proc_macro2::TokenTree {
    if let proc_macro2::TokenTree::Group(group) = &tree {
        let inside = group.stream().into_iter().map(unplaced).collect();
        tree = proc_macro2::Group::new(group.delimiter(), inside).into();
    }
    tree.set_span(proc_macro2::Span::call_site());
    tree
}

#[test]
fn lines() {
    let error =
        error(Code::SameElement, "what is wrong").example(Some("x = 1".to_owned())).help("do this").help("do that");
    let lines = "[AB0602] what is wrong\nexample: x = 1\nhelp: do this\nhelp: do that";
    assert_eq!(error.to_string(), lines);
}
