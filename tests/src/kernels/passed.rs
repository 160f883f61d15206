//! Closures that the host passes to kernels.

use anabranch::DeviceClosure;
use anabranch::algorithms::sort_by_cached_key;
use anabranch::prelude::*;

use super::Source;
use super::closures::{Pair, halved, twice};

/// Of one argument.
#[kernel]
pub fn mapped(x: &mut [f32], f: impl Fn(f32) -> f32) {
    for i in par(0..x.len()) {
        x[i] = f(x[i]);
    }
}

/// In groups, of any type.
#[kernel]
pub fn zipped<T: Scalar + Num, F>(x: &mut [T], y: &mut [T], f: F, n: usize)
where
    F: Fn(T, T) -> T + Copy,
{
    assert!(x.len() >= n && y.len() >= n);
    let (head, rest) = x.split_at_mut(n / 2);
    stream_parallel! {
        'head: {
            for i in par(0..head.len()) { head[i] = f(head[i], y[i]); }
        }
        'rest: {
            for i in par(0..rest.len()) { rest[i] = f(rest[i], rest[i]); }
        }
    }
    for i in par(0..n) {
        y[i] = f(y[i], f(y[i], y[i]));
    }
}

/// In the host part, in a called kernel, in device functions, in a reduction, in phases; made in a
/// host part; several of one type.
#[kernel]
pub fn everywhere<G: Fn(i64, usize) -> i64>(x: &mut [i64], out: &mut [i64], f: impl Fn(i64) -> i64, g: G, h: G) {
    let k = f(2) + g(1, 2);
    let by = |v: i64| v * 3;
    let most = by(k);
    replaced(&mut x[..], f, k);
    replaced(&mut x[..], closure!(|v: i64| (v + most) % 1000), h(k, 0));
    out[0] = par(0..x.len()).map(|i| f(x[i])).sum();
    for block in par_blocks(0..x.len() / 32).threads(32) {
        let b = block.index();
        let mut all = block.shared([0i64; 32]);
        for t in block.threads() {
            all[t] = g(x[b * 32 + t], t);
        }
        let mut own = block.each(0i64);
        for t in block.threads() {
            own = h(all[t], b);
        }
        let sum = block.sum(own);
        for t in block.threads() {
            let inner = |v: i64| f(v) - 1;
            let mut n = 0;
            while n < 3 && f(n) < sum {
                n += 1;
            }
            x[b * 32 + t] = twice(f, all[31 - t]) + twice(&f, 3) + twice(inner, sum) + twice(|v| g(v, t), n);
        }
    }
}

/// Called by another kernel.
#[kernel]
pub fn replaced(x: &mut [i64], f: impl Fn(i64) -> i64, from: i64) {
    for i in par(0..x.len()) {
        x[i] = f(x[i]) + from;
    }
}

/// Out of bounds if the closure is wrong.
#[kernel]
pub fn gathered(x: &[u32], out: &mut [u32], at: impl Fn(usize) -> usize) {
    for i in par(0..out.len()) {
        out[i] = x[at(i)];
    }
}

/// A closure as a value of the user's.
#[device]
#[derive(Clone, Copy)]
pub struct Line {
    /// For each 1 to the right.
    pub slope: f32,
    /// At 0.
    pub offset: f32,
}

#[device]
impl DeviceClosure<(f32,)> for Line {
    type Output = f32;
    fn call(self, (x,): (f32,)) -> f32 {
        self.slope * x + self.offset
    }
}

/// Above a limit.
pub const LIMIT: i64 = 40;

/// Without captures, with functions, constants, local names and early returns.
pub fn limited() -> impl DeviceClosure<(i64,), Output = i64> {
    closure!(|v: i64| -> i64 {
        let v = v / 2;
        let limit = |v: i64| if v > LIMIT { LIMIT } else { v };
        if v == 7 {
            return -1;
        }
        let mut sum = limit(v);
        for v in 0..3 {
            sum += v;
        }
        match halved(v as i32 % 100) {
            Some(v) if v > 3 => sum + i64::from(v),
            _ => sum,
        }
    })
}

/// With captures of all kinds, more than a tuple has, some of which hide or are hidden.
pub fn captured(
    pair: Pair,
    weights: [i64; 3],
    (a, b): (u8, bool),
    v: i64,
    more: [i64; 9],
) -> impl DeviceClosure<(i64, usize), Output = i64> {
    let [c, d, e, f, g, h, i, j, k] = more;
    closure!(move |x: i64, at: usize| {
        let folded = |v: i64| v * weights[at % weights.len()] + i64::from(pair.a);
        let own = {
            let v = v + LIMIT;
            folded(v)
        };
        let b = if b { i64::from(a) } else { x };
        own + pair.b as i64 + b + v + (c + d + e + f + g + h + i + j + k) * x
    })
}

const fn source_of<F: DeviceClosure<(i64,), Output = i64>>(name: &'static str, _: fn() -> F) -> Source {
    source!(name, replaced, F)
}

/// A function that captures what it gets.
type Captures<G> = fn(Pair, [i64; 3], (u8, bool), i64, [i64; 9]) -> G;

const fn source_of_all<F, G>(name: &'static str, _: fn() -> F, _: Captures<G>) -> Source
where
    F: DeviceClosure<(i64,), Output = i64>,
    G: DeviceClosure<(i64, usize), Output = i64>,
{
    source!(name, everywhere, G, F)
}

macro_rules! two_of_one_spelling {
    ($k:ident, $v:expr) => {
        closure!(|v: i64| {
            let $k = v + $v;
            let _ = $k;
            let k = 1;
            $k + k
        })
    };
}

/// To the device code of a macro, two variables of one spelling are one, on each device.
pub fn hidden(more: i64) -> impl DeviceClosure<(i64,), Output = i64> {
    two_of_one_spelling!(k, more)
}

/// A key of a pair.
pub fn key() -> impl DeviceClosure<(Pair,), Output = i32> {
    closure!(|pair: Pair| pair.a % 7 - pair.b)
}

const fn source_of_sort<F: DeviceClosure<(Pair,), Output = i32>>(_: fn() -> F) -> Source {
    source!("sort_by_cached_key", sort_by_cached_key, Pair, i32, F)
}

/// The kernels of this file, and those that it makes of closures.
pub const SOURCES: &[Source] = &[
    source!("mapped", mapped, Line),
    source_of("replaced", limited),
    source_of_all("everywhere", limited, captured),
    source_of_sort(key),
];
