//! Whatever the tokens, the macros answer with tokens and never panic.

use proc_macro2::{TokenStream, TokenTree};

use super::tokens;
use crate::expand;

const SOURCE: &str = "pub fn k(x: &mut [f32], y: &[u8], n: usize) {
    let (lo, hi) = x.split_at_mut(n);
    for sweep in 0..3 {
        stream_parallel! {
            'a: { for i in par(0..n).block(64) { lo[i] = if i > 3 { wave(y[i] as f32) } else { 1.0e3 }; } }
            'b: { for (a, b) in par((0..n, (0..=n).step_by(2))) { let mut t = 1; while t < 9 { t <<= 1; } hi[a] += hi[b]; } }
        }
    }
}";

/// The rest of both languages.
const HOST: &str = "#[inline] fn k(x: &mut [f32], y: &[f32], c: &Config, mut n: usize, _: u8) {
    let Some(m) = c.find(|a| a > x.len()) else { return };
    let z = if n > 3 { x } else { w };
    'out: while let Some(k) = c.next() && k > 2 {
        match k { 0 => continue, s @ 1..=3 if s > 2 => break 'out, (a, B { b, .. }) => for i in par(-1i8..=n) { z[i] = -1.0; }, _ => {} }
        'b: { println!(\"{}\", y.len()); vec![c.d]; break 'b; }
    }
    const N: usize = 3;
    stream_parallel! { { let (a, _) = y.split_at(m); for _ in par((0..1, 0..2, (0..3).step_by(m))) { z[0] = a[1]; } } }
}";
const DEVICE: &str = "fn f(a: f32, mut b: u32) -> f32 {
    let t: u8 = !0xFF_u8 << 3 >> b; let u = -128i8 as u32 as f32; let v = { let a = a; a * -a };
    let w = if a > 1e3 && !(b == 2) || true { u.max(v).clamp(0., 1.) } else if b < 3 { return 2.0; } else { loop { break a; } };
    'l: for k in 0u8..=255 { for j in 0..b { b %= 3; b <<= k; if j & 1 != 0 { continue 'l; } } while b > 0 { b /= 2; break; } }
    f32::from_bits(b) + f64::from(g::h(w, t)) as f32 + w.powi(2).mul_add(1.5, a)
}";

/// A small generator with a fixed seed: failures repeat.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n.max(1) as u64).unwrap_or(0)
    }
}

/// The same tokens with one of them dropped, doubled or swapped with another, at any depth.
fn mutate(stream: TokenStream, random: &mut Random, pool: &[TokenTree]) -> TokenStream {
    let mut trees: Vec<TokenTree> = stream.into_iter().collect();
    if trees.is_empty() {
        return pool.get(random.below(pool.len())).cloned().into_iter().collect();
    }
    let at = random.below(trees.len());
    if let TokenTree::Group(group) = &trees[at]
        && random.below(4) != 0
    {
        let inner = mutate(group.stream(), random, pool);
        trees[at] = proc_macro2::Group::new(group.delimiter(), inner).into();
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

fn flatten(stream: TokenStream, out: &mut Vec<TokenTree>) {
    for tree in stream {
        if let TokenTree::Group(group) = &tree {
            flatten(group.stream(), out);
        }
        out.push(tree);
    }
}

#[test]
fn mutated_kernels_never_panic() {
    let (accepted, refused) = expand_mutated(SOURCE, 5_000);
    // Both ways are reached, or the test says nothing.
    assert!(accepted > 100 && refused > 1_000, "accepted {accepted}, refused {refused}");
}

#[test]
fn mutated_host_code_never_panics() {
    assert!(expand_mutated(HOST, 3_000).1 > 1_000);
}

#[test]
fn mutated_device_code_never_panics() {
    assert!(expand_mutated(DEVICE, 3_000).1 > 1_000);
}

/// How many mutants were accepted, and how many refused.
fn expand_mutated(source: &str, times: usize) -> (usize, usize) {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let source = tokens(source);
    let mut pool = Vec::new();
    flatten(source.clone(), &mut pool);
    flatten(
        tokens("'a return break continue match ? & * async unsafe __anabranch_par_loop!(9) [] {} () => |x| #[cfg(a)]"),
        &mut pool,
    );
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..times {
        let mut mutated = source.clone();
        for _ in 0..=random.below(4) {
            mutated = mutate(mutated, &mut random, &pool);
        }
        for expand in [expand::kernel, expand::device] {
            let out = expand(TokenStream::new(), mutated.clone()).to_string();
            if out.contains("compile_error") { refused += 1 } else { accepted += 1 }
        }
    }
    (accepted, refused)
}

#[test]
fn odd_arguments_and_items_are_errors() {
    for (args, item) in
        [("crate", SOURCE), ("crate = 3", SOURCE), ("block = 2", SOURCE), ("", "struct S;"), ("", ""), ("", "fn f();")]
    {
        for expand in [expand::kernel, expand::device] {
            assert!(expand(tokens(args), tokens(item)).to_string().contains("compile_error"), "{args} {item}");
        }
    }
}
