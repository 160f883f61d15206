//! Bodies that would fill the stack of a compiler.

use proc_macro2::TokenStream;

/// What the macro says of the body of a loop, on a stack as rustc's.
fn said(body: String) -> String {
    let expand = move || {
        let source = format!("fn k(x: &mut [f32], n: usize) {{ for i in par(0..n) {{ {body} }} }}");
        let item: TokenStream = source.parse().expect("tokens");
        let out = crate::expand::kernel(TokenStream::new(), item).to_string();
        // What it says begins with a code.
        out.split_once("\"[AB")
            .map_or_else(String::new, |(_, said)| said.split('"').next().unwrap_or_default().to_owned())
    };
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(expand).expect("a thread");
    thread.join().expect("no panic")
}

#[test]
fn long_bodies_are_no_deep_ones() {
    assert_eq!(said("let mut v = 0.0f32;".to_owned() + &"v += 1.0;".repeat(5000) + "x[i] = v;"), "");
    assert_eq!(said("assert!(i < n);".repeat(1000) + "x[i] = 1.0;"), "");
    assert_eq!(said("if i > n { continue; }".repeat(1000) + "x[i] = 1.0;"), "");
    let begins = |k: usize| format!("for j{k} in 0..1 {{");
    assert_eq!(said((0..60).map(begins).collect::<String>() + "x[i] += 1.0;" + &"}".repeat(60)), "");
    // In lanes.
    let sums = |k: usize| format!("let a{} = a{k} + a{k};", k + 1);
    let sums = (0..300).map(sums).collect::<String>();
    assert_eq!(
        said(format!("let a0 = i; {sums} let mut v = 0.0; for _ in 0..n {{ v += 1.0; }} x[i] = v + a300 as f32;")),
        ""
    );
    let begins = "while v < 9.0 { if v > 3.0 { v += 1.0; }";
    assert_eq!(
        said("let mut v = 0.0f32;".to_owned() + &begins.repeat(60) + "v += 1.0;" + &"}".repeat(60) + "x[i] = v;"),
        ""
    );
}

#[test]
fn what_is_too_deep_is_refused() {
    for (depth, refused) in [(200, false), (300, true), (1000, true)] {
        for body in [
            format!("x[i] = 1.0 {};", "+ 1.0".repeat(depth)),
            format!("x[i] = 1.0f32{};", ".min(3.0)".repeat(depth)),
            format!("let b = {}true; x[i] = b as u8 as f32;", "!".repeat(depth)),
            format!("if i == 0 {{ x[i] = 1.0; }} {}", "else if i == 1 { x[i] = 2.0; }".repeat(depth)),
        ] {
            let said = said(body.clone());
            assert_eq!(said.contains("nested in more than"), refused, "{depth}: {said}: {}", &body[..100]);
        }
    }
}
