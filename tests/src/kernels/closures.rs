//! Closures as arguments of device functions.

use anabranch::prelude::*;

use super::sources;

/// The value at the middle of a range, and the places that it was asked for.
#[device]
pub fn bisected(f: impl Fn(f32) -> f32, mut lo: f32, mut hi: f32) -> f32 {
    for _ in 0..20 {
        let mid = (lo + hi) / 2.0;
        if f(mid) > 0.0 {
            hi = mid;
        } else {
            lo = mid;
        }
    }
    f((lo + hi) / 2.0)
}

/// Calls a closure with each number, which may change variables of its caller.
#[device]
pub fn each(n: u32, mut visit: impl FnMut(u32, (bool, i64))) {
    for i in 0..n {
        visit(i, (i % 2 == 0, i64::from(i) * 3));
    }
}

/// A closure that is passed on, and one that calls it.
#[device]
pub fn twice(f: impl Fn(i64) -> i64, x: i64) -> i64 {
    let y = once(&f, x);
    once(|v| f(v) + y, once(&f, y))
}

/// The innermost call.
#[device]
pub fn once(f: impl Fn(i64) -> i64, x: i64) -> i64 {
    f(x) + 1
}

/// Two closures with types of their own, and type parameters beside them.
#[device]
pub fn composed<T: Num>(f: impl Fn(T) -> T, g: impl Fn(T) -> u32, x: T) -> u32 {
    g(f(x)) + g(x)
}

/// A closure with early results, loops and checks.
#[device]
pub fn first_above(limit: u32, x: [u32; 4]) -> u32 {
    let mut checks = 0;
    each(4, |i, (even, n)| {
        let mut best = if even { 1 } else { 0 };
        'all: for v in &x {
            for k in 0..3 {
                if *v + k > limit {
                    best += k;
                    break 'all;
                }
            }
        }
        checks += best + i * n as u32;
    });
    checks
}

/// Every function, in one iteration each, with captures of host values, variables and slices.
#[kernel]
pub fn closures(x: &[f32], out: &mut [f32], whole: &mut [i64], k: f32, n: u32) {
    for i in par(0..out.len()) {
        let root = bisected(|t| t * t * k - x[i], 0.0, 100.0);
        out[i] = root
            + bisected(
                |t: f32| {
                    let s = t - x[0];
                    s * s * s
                },
                -10.0,
                10.0,
            );
        let (mut sum, mut odd) = (0i64, 0u32);
        each(n, |j, (even, v)| {
            if even {
                sum += v * i as i64;
            } else {
                odd += j;
            }
        });
        each(3, |_, _| sum *= 2);
        let mut value = twice(|v| v * 3 - i as i64, sum) + i64::from(odd);
        value += i64::from(
            composed(|v| v + 0.5f32, |v| v as u32, k) + composed(|v: u8| v / 2, |v| u32::from(v) + i as u32, 9),
        );
        each(2, |a, _| each(2, |b, _| value = value * 3 + i64::from(a * 2 + b)));
        whole[i] = value + i64::from(first_above(n, [1, 2, 3, i as u32]));
    }
}

sources! { closures }
