//! Whatever the tokens, the macros answer with tokens, soon, and never panic.
//!
//! `ANABRANCH_FUZZ=1000000 cargo test -p anabranch-macros robustness -- --nocapture` tries a
//! million inputs instead of 20,000, and lets rustc check more of what is accepted.

mod compile;

use std::time::{Duration, Instant};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::tokens;
use crate::expand;

/// Functions that compile, with names of [`compile::AROUND`]; between them they have everything of
/// both languages.
const KERNELS: [&str; 7] = [
    "#[kernel] pub fn k(x: &mut [f32], y: &[u8], n: usize) {
        let (lo, hi) = x.split_at_mut(n);
        for sweep in 0..3 {
            stream_parallel! {
                'a: { for i in par(0..n).block(64) { lo[i] = if i > 3 { wave(y[i] as f32) } else { 1.0e3 }; } }
                'b: { for (a, b) in par((0..n, (0..=n).step_by(2))) { let mut t = 1; while t < 9 { t <<= 1; } hi[a * (n + 1) + b] += t as f32; } }
            }
            if sweep > n { return; }
        }
    }",
    "#[inline] #[kernel] fn k<T: Float, const N: usize>(x: &mut [T], y: &[T], w: &mut [f32], c: &Config, mut n: usize, _: u8) {
        let Some(m) = c.find(|a| a > x.len()) else { return };
        let z = if n > 3 { x } else { x };
        'out: while let Some(k) = c.find(|a| a == n) {
            match k { 0 => continue, s @ 1..=3 if s > 2 => break 'out, _ => for i in par(0..=n) { z[i] = -y[i]; } }
            n -= 1;
            'b: { println!(\"{}\", y.len()); if n == 2 { break 'b; } }
        }
        const M: usize = 3;
        stream_parallel! {
            { let (a, _) = y.split_at(m); for (_, _, q) in par((0..1, 0..2, (0..M).step_by(m))) { unsafe { z[q] = a[1] + T::PI; } } }
            { for i in par(0..N) { set(&mut w[i], &TABLE); } }
        }
    }",
    "#[kernel] fn k(x: &mut [f32], p: (f32, u32), flags: [bool; 4], y: &[i32]) {
        'all: for i in par(0..x.len()) {
            let (a, mut b) = p;
            let [first, .., last] = flags;
            let grid = [[0u8; 3]; 2];
            let (3.., q) = (y[i], 1) else { continue 'all };
            let code = match (y[i], first) { (0, _) => 0, (1 | 2, true) => LIMIT, (n @ -5..=-1, false) if n != -3 => n, (i32::MIN..0, _) | (3.., _) => 7, _ => q };
            if let (false, j) = (last, code) { b += j as u32; }
            let late; if b > 2 { late = 1.5; } else { late = a; }
            let value = 'done: { for row in grid { if row[1] == 0 { break 'done 1.0; } } late };
            let found = loop { b = b.wrapping_add(1); if b % 7 == 0 { break b; } };
            assert!(value >= 0.0 && (a, 1) < (2.0, 3), \"no\");
            (b, _) = (found, 1);
            x[i] = TABLE[b as usize % 3] * sum(&x[i..i + 1], &flags) + [a, late][1] + f32::max(value, core::f32::consts::PI);
            debug_assert_ne!(b, 3);
            for r in (0..=b).rev().step_by(2) { if r == 4 { panic!(\"four\"); } const C: u32 = 3; b = r ^ C; }
        }
    }",
    "#[kernel] fn k(bins: &[AtomicU32], keys: &[u32], best: &[AtomicF32], out: &mut [f32]) {
        let (lo, hi) = bins.split_at(bins.len() / 2);
        stream_parallel! {
            { for i in par(0..keys.len()) { lo[keys[i] as usize].fetch_add(1, Relaxed); bump(&hi[0], 2); } }
            { for i in par(0..out.len()) { out[i] = best[i].swap(1.0, Relaxed); if hi[i].compare_exchange(0, 1, Relaxed, Relaxed).is_err() { count(&lo, i); } } }
        }
    }",
    "#[kernel] fn k(x: &mut [f32], y: &[f32], n: usize) { for i in par(0..n) { let t = y[i]; x[i] = t * 2.0 + x[i]; } }",
    "#[kernel] fn k<G>(x: &mut [f32], n: usize, f: impl Fn(f32, usize) -> f32, g: G) where G: Fn(usize) -> usize + Copy {
        let m = g(n) + 1;
        let by = f(2.0, m) as u32;
        stream_parallel! { { for i in par(0..m) { x[i] = f(x[i], g(i)) + apply(f, 2.0) + apply(&f, by as f32); } } }
        x[g(0)] = par(0..n).map(|i| f(1.0, g(i))).sum();
        for block in par_blocks(0..n).threads(32) { for t in block.threads() { let f = |v| f(v, t) + 1.0; let _ = f(3.0); } }
    }",
    "#[kernel] fn k<T: Float>(p: Planes<'_>, q: Both<'_, T>, x: &mut [f32]) {
        let (by, table) = (p.by.max(q.inner.by), q.table);
        let (x, rest) = x.split_at_mut(4);
        for i in par(0..p.red.len()) { if p.mask[i] > 0 { p.red[i] += by * q.inner.green[i]; } }
        std::mem::swap(&mut p.red, &mut p.green);
        other(&mut p, &mut q.inner.red);
        stream_parallel! {
            { other(&mut p, &mut x[1..]); let (a, b) = p.red.split_at_mut(1); for i in par(0..1) { a[i] = b[i] + p.by; } }
            { for (a, b) in par((0..2, 0..2)) { q.image[[a, b]] = table[a] * q.image[[a, b]]; q.counts[a].fetch_add(1, Relaxed); } }
            { other(&mut q.inner, &mut rest); }
        }
        let red = &p.red;
        for i in par(0..red.len()) { x[i] = red[i] + wave(p.by); }
    }",
];
/// What `closure!` takes.
const CLOSURES: [&str; 3] = [
    "|v: f32| v * scale + offset.max(0.5)",
    "move |(a, b): (f32, u8), mut n: usize, w: [i32; 3]| -> f32 {
        let k = |v: f32| if v > LIMIT as f32 { v } else { scale + v };
        let p = Pair { a, b };
        while n > 3 { n /= 2; if n == c.0 { return k(a); } }
        for w in w { n += w as usize; }
        assert!(n < limit, \"{n} {limit:?}\");
        match (p.b, n) { (0, m) if m > low => 1.0, (1..=3, _) => f32::MAX, _ => square(a) * weights[n % weights.len()] }
    }",
    "|_: u32| { let v = { let t = t + 1; t }; println!(\"{v} {}\", u); 'l: { if v > u { break 'l; } } (v, u) }",
];
const DEVICES: [&str; 4] = [
    "#[device] fn f(a: f32, mut b: u32) -> f32 {
        let t: u8 = !0xF0_u8 << 3 >> b; let u = -128i8 as u32 as f32; let v = { let a = a; a * -a };
        let w = if a > 1e3 && !(b == 2) || true { u.max(v).clamp(0., 1.) } else if b < 3 { return 2.0; } else { loop { break a; } };
        'l: for k in 0u8..=255 { for j in 0..b { b %= 3; b <<= k; if j & 1 != 0 { continue 'l; } } while b > 0 { b /= 2; break; } }
        f32::from_bits(b) + f64::from(wave(w)) as f32 + w.powi(2).mul_add(1.5, a) + t as f32
    }",
    "#[device] pub fn f<T: Num, const N: usize>(values: &[T], mut out: &mut [T; N], (a, b): (u32, bool)) -> (T, usize) {
        let mut sum = T::ZERO;
        for i in 0..values.len() { sum += values[i]; out[i % N] = sum; }
        for v in [sum, T::ONE] { if b { sum = v; } }
        match a { 0 => { return (sum, 0); } _ => unreachable!() }
    }",
    "#[device] fn f(cell: &AtomicU32, cells: &[AtomicU32], i: usize) -> u32 {
        count(&cells[..i], 0); bump(cell, 1); while cells[i].compare_exchange_weak(1, cell.load(Relaxed), Relaxed, Relaxed).is_err() { break; }
        cells[cells.len() - 1].fetch_max(3, Relaxed)
    }",
    "#[device] fn f(p: &mut (f32, [u8; 2]), q: &f32) { p.0 = *q; p.1[0] += 1; (p.0, p.1[1]) = (1.0, 2); if *q > 1.0 { return; } set(&mut p.0, &TABLE); }",
];
/// What takes the place of tokens, besides the tokens of the function itself.
const POOL: &str = "'a return break continue match ? & * async unsafe __anabranch_par_loop!(9) [] {} () => |x| #[cfg(a)] _ .. ..= @ 0 1.5 true x let if mut ref self par stream_parallel! r#match const fn :: <> ; , é '\\n' \"s\" b'a'";

/// A small generator with a fixed seed: failures repeat.
struct Random(u64);

impl Random {
    fn new() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }

    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n.max(1) as u64).unwrap_or(0)
    }
}

/// Number of inputs.
fn inputs() -> usize {
    std::env::var("ANABRANCH_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000)
}

/// The same tokens with one of them dropped, doubled, replaced or swapped with another, at any
/// depth.
fn mutate(stream: TokenStream, random: &mut Random, pool: &[TokenTree]) -> TokenStream {
    let mut trees: Vec<TokenTree> = stream.into_iter().collect();
    if trees.is_empty() {
        return pool.get(random.below(pool.len())).cloned().into_iter().collect();
    }
    let at = random.below(trees.len());
    if let TokenTree::Group(group) = &trees[at]
        && random.below(8) != 0
    {
        let inner = mutate(group.stream(), random, pool);
        trees[at] = Group::new(group.delimiter(), inner).into();
        return trees.into_iter().collect();
    }
    match random.below(4) {
        0 => {
            trees.remove(at);
        }
        1 => trees.insert(at, trees[at].clone()),
        2 => trees[at] = pool[random.below(pool.len())].clone(),
        _ => {
            let other = random.below(trees.len());
            trees.swap(at, other);
        }
    }
    trees.into_iter().collect()
}

/// Every tree of a stream, at any depth.
fn flatten(stream: TokenStream, out: &mut Vec<TokenTree>) {
    for tree in stream {
        if let TokenTree::Group(group) = &tree {
            flatten(group.stream(), out);
        }
        out.push(tree);
    }
}

/// Its own tokens and [`POOL`].
fn pool_of(source: TokenStream) -> Vec<TokenTree> {
    let mut pool = Vec::new();
    flatten(source, &mut pool);
    flatten(tokens(POOL), &mut pool);
    pool
}

/// What happened to some inputs.
#[derive(Default)]
struct Count {
    accepted: usize,
    refused: usize,
    slowest: Duration,
}

impl Count {
    /// Expands both macros, and the item as a library kernel, whose body is not looked at.
    fn expand(&mut self, input: &TokenStream) {
        for expand in [expand::kernel, expand::device] {
            let begin = Instant::now();
            let out = expand(TokenStream::new(), input.clone());
            self.slowest = self.slowest.max(begin.elapsed());
            if is_refusal(&out) { self.refused += 1 } else { self.accepted += 1 }
        }
        expand::kernel(quote::quote!(library), input.clone());
    }

    /// Expands `closure!`.
    fn expand_closure(&mut self, input: &TokenStream) {
        let begin = Instant::now();
        let out = expand::closure(quote::quote!(::anabranch, #input));
        self.slowest = self.slowest.max(begin.elapsed());
        let refused =
            out.into_iter().any(|tree| matches!(tree, TokenTree::Group(inside) if is_refusal(&inside.stream())));
        if refused { self.refused += 1 } else { self.accepted += 1 }
    }

    fn total(&self) -> usize {
        self.accepted + self.refused
    }

    fn report(&self, what: &str) {
        let Self { accepted, refused, slowest } = self;
        eprintln!("{what}: {accepted} accepted, {refused} refused, the slowest in {slowest:?}");
        assert!(*slowest < Duration::from_secs(5), "{what}: an input took {slowest:?}");
    }
}

fn is_refusal(out: &TokenStream) -> bool {
    out.clone().into_iter().any(|tree| matches!(tree, TokenTree::Ident(ident) if ident == "compile_error"))
}

#[test]
fn mutants_never_panic() {
    let mut random = Random::new();
    let mut count = Count::default();
    let sources: Vec<_> = KERNELS.iter().chain(&DEVICES).map(|source| without_attribute(source)).collect();
    let pools: Vec<_> = sources.iter().cloned().map(pool_of).collect();
    while count.total() < inputs() {
        for (source, pool) in sources.iter().zip(&pools) {
            let mut mutant = source.clone();
            for _ in 0..=random.below(2) * random.below(4) {
                mutant = mutate(mutant, &mut random, pool);
            }
            count.expand(&mutant);
        }
    }
    count.report("mutants");
    // Both ways are reached, or the test says nothing.
    assert!(count.accepted > inputs() / 50 && count.refused > inputs() / 4);
}

#[test]
fn mutants_of_closures_never_panic() {
    let (mut random, mut count) = (Random::new(), Count::default());
    let sources = CLOSURES.map(tokens);
    let pools = sources.clone().map(pool_of);
    sources.iter().for_each(|source| count.expand_closure(source));
    assert_eq!(count.refused, 0);
    while count.total() < inputs() / 4 {
        for (source, pool) in sources.iter().zip(&pools) {
            let mut mutant = source.clone();
            for _ in 0..=random.below(4) {
                mutant = mutate(mutant, &mut random, pool);
            }
            count.expand_closure(&mutant);
        }
    }
    count.report("closures");
    assert!(count.accepted > inputs() / 200 && count.refused > inputs() / 20);
}

/// The function as the macro gets it.
fn without_attribute(source: &str) -> TokenStream {
    tokens(&source.replace("#[kernel]", "").replace("#[device]", ""))
}

#[test]
fn soup_never_panics() {
    let mut random = Random::new();
    let mut count = Count::default();
    let pool = pool_of(KERNELS.iter().chain(&DEVICES).map(|source| without_attribute(source)).collect());
    let soup = |random: &mut Random| -> TokenStream {
        (0..random.below(12)).map(|_| pool[random.below(pool.len())].clone()).collect()
    };
    while count.total() < inputs() / 4 {
        let soup = soup(&mut random);
        let braces = |inside: TokenStream| TokenStream::from(TokenTree::from(Group::new(Delimiter::Brace, inside)));
        count.expand(&soup);
        let body = braces(soup.clone());
        count.expand(&quote::quote!(fn k(x: &mut [f32], y: &[u8], n: usize) -> f32 #body));
        count.expand(&quote::quote!(fn k(x: &mut [f32], y: &[u8], n: usize) { for i in par(0..n) #body }));
        count.expand(
            &quote::quote!(fn k(x: &mut [f32], y: &[u8]) { stream_parallel! { 'a: #body } for i in par(#soup) {} }),
        );
        count.expand(&quote::quote!(fn k(#soup) #body));
    }
    count.report("soup");
}

/// An answer takes time in proportion to the input.
#[test]
fn nesting_is_not_exponential() {
    let mut count = Count::default();
    for (open, inside, close) in [
        ("(", "x[i]", ")"),
        ("[", "1", "]"),
        ("{ let y = ", "1", "; y }"),
        ("if n > 2 { ", "1", " } else { 2 }"),
        ("if n > 2 { 2 } else { ", "1", " }"),
        ("match n { 1 => ", "1", ", _ => 2 }"),
        ("f(&", "x", ")"),
        ("(", "1", ").abs()"),
        ("y[", "0", "]"),
        ("-", "1", ""),
        ("stream_parallel! { { for i in par(0..n) { x[i] = 1.0; } ", ";", " } }"),
        ("for i in par(0..", "n", ") {}"),
        ("while let 1 = ", "n", " {}"),
    ] {
        const DEPTH: usize = 24;
        let deep = format!("{}{inside}{}", open.repeat(DEPTH), close.repeat(DEPTH));
        count.expand(&tokens(&format!("fn k(x: &mut [f32], n: usize) {{ for i in par(0..n) {{ x[i] = {deep}; }} }}")));
        count.expand(&tokens(&format!(
            "fn k(x: &mut [f32], n: usize) {{ let a = {deep}; for i in par(0..n) {{ x[i] = 1.0; }} }}"
        )));
        count.expand(&tokens(&format!("fn k(x: &mut [f32], n: usize) {{ {deep} }}")));
    }
    count.report("nested");
}

#[test]
fn odd_arguments_and_items_are_errors() {
    let kernel = "fn k(x: &mut [f32]) { for i in par(0..3) { x[i] = 1.0; } }";
    for (args, item) in [
        ("crate", kernel),
        ("crate = 3", kernel),
        ("block = 2", kernel),
        ("", "union E { a: u8 }"),
        ("", ""),
        ("", "fn f();"),
    ] {
        for expand in [expand::kernel, expand::device] {
            assert!(is_refusal(&expand(tokens(args), tokens(item))), "{args} {item}");
        }
    }
}
