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
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let source = tokens(SOURCE);
    let mut pool = Vec::new();
    flatten(source.clone(), &mut pool);
    flatten(
        tokens("'a return break continue match ? & * async unsafe __anabranch_par_loop!(9) [] {} () => |x| #[cfg(a)]"),
        &mut pool,
    );
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..5_000 {
        let mut mutated = source.clone();
        for _ in 0..=random.below(4) {
            mutated = mutate(mutated, &mut random, &pool);
        }
        for expand in [expand::kernel, expand::device] {
            let out = expand(TokenStream::new(), mutated.clone()).to_string();
            if out.contains("compile_error") { refused += 1 } else { accepted += 1 }
        }
    }
    // Both ways are reached, or the test says nothing.
    assert!(accepted > 100 && refused > 1_000, "accepted {accepted}, refused {refused}");
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
