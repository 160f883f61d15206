//! Closures as arguments of device functions.
#![allow(clippy::all, unused_unsafe, reason = "the forms that are tested")]

use anabranch::prelude::*;

use super::{both, sources};

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

/// A name of `()`.
pub type Nothing = ();

both! {
    use { use super::Nothing; }
    [device] {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Pair { pub a: i32, pub b: i32 }
    }
    [device] {
        impl Pair {
            /// A closure of a type parameter, and one without.
            pub fn mapped<F: Fn(i32) -> i32>(self, f: F) -> Pair { Pair { a: f(self.a), b: f(self.b) } }
            pub fn each(&self, mut visit: impl FnMut(i32)) { visit(self.a); visit(self.b); }
            pub fn change(&mut self, f: impl FnOnce(Pair) -> Pair) -> i32 { *self = f(*self); self.a }
            pub fn folded<T: Num, F>(&self, start: T, f: F) -> T where F: Fn(T, i32) -> T, { f(f(start, self.a), self.b) }
            pub fn made(f: impl Fn() -> i32) -> Pair { Pair { a: f(), b: f() } }
        }
    }
    [device] {
        /// Functions of a trait that take closures, with and without a default.
        pub trait Walk: Copy {
            fn walk<F: FnMut(i32)>(&self, visit: F);
            fn sum(&self, f: impl Fn(i32) -> i32) -> i32 {
                let mut sum = 0;
                self.walk(|v| sum += f(v));
                sum
            }
            fn least<T: Num, F>(self, f: F, start: T) -> T where F: Fn(i32) -> T {
                let mut least = start;
                self.walk(|v| least = if f(v) < least { f(v) } else { least });
                least
            }
        }
    }
    [device] {
        impl Walk for Pair {
            fn walk<F: FnMut(i32)>(&self, visit: F) { self.each(visit); }
        }
    }
    [device] {
        impl Walk for [i32; 3] {
            fn walk<F: FnMut(i32)>(&self, mut visit: F) { for v in self { visit(*v); } }
            fn sum(&self, f: impl Fn(i32) -> i32) -> i32 { f(self[0]) * 100 + f(self[2]) }
        }
    }
    [device] {
        /// Two closures of one type, beside other parameters.
        pub fn both<T: Num, F: Fn(T) -> T + Copy, const N: usize>(f: F, g: F, x: [T; N]) -> T { f(g(x[0])) + at(f, x[N - 1]) }
    }
    [device] {
        pub fn at<T, F>(f: F, x: T) -> T where T: Num, F: FnOnce(T) -> T { f(x) }
    }
    [device] {
        /// Generic over a trait, with a closure for its functions.
        pub fn weighed<W: Walk>(w: W, k: i32) -> i32 { w.sum(|v| v * k) + w.least(|v| v - k, 50) }
    }
    [device] {
        pub fn halved(x: i32) -> Option<i32> { if x % 2 == 0 { Some(x / 2) } else { None } }
    }
    [device] {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Small { Odd(i32), Zero }
    }
    [device] {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Failed { pub code: i64, pub at: [i32; 2] }
    }
    [device] {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Wrapped<E>(pub E, pub u8);
    }
    [device] {
        pub trait Failure: Copy {}
    }
    [device] {
        impl Failure for Small {}
    }
    [device] {
        impl From<Small> for Failed {
            fn from(small: Small) -> Failed {
                match small {
                    Small::Odd(n) => Failed { code: n as i64 * 3, at: [n, 1] },
                    Small::Zero => Failed { code: -1, at: [0, 2] },
                }
            }
        }
    }
    [device] {
        impl From<i32> for Failed {
            fn from(code: i32) -> Self { Self { code: code as i64, at: [5; 2] } }
        }
    }
    [device] {
        impl<E: Failure> From<E> for Wrapped<E> {
            fn from(error: E) -> Self { Wrapped(error, 9) }
        }
    }
    [device] {
        pub fn checked(x: i32) -> Result<i32, Small> {
            if x == 0 { return Err(Small::Zero); }
            Ok(halved(x).ok_or(Small::Odd(x))?)
        }
    }
    [device] {
        pub fn converted(x: i32) -> Result<i64, Failed> {
            let half = checked(x)?;
            if half > 6 { return Err(<Failed>::from(half + 1)); }
            let seven: Result<i32, i32> = if half > 5 { Err(half) } else { Ok(1) };
            seven?;
            let same: Result<i32, Failed> = Err(Failed::from(half));
            Ok(if half == 4 { <i64>::from(same?) } else { half as i64 + checked(half).map_err(|small| Failed::from(small))? as i64 })
        }
    }
    [device] {
        pub fn wrapped(x: i32) -> Result<i32, Wrapped<Small>> { Ok(checked(x)? + 1) }
    }
    [kernel] {
        /// `?` with an error of another type, in functions and closures.
        pub fn errors(x: &[i32], y: &mut [i64]) {
            for i in par(0..y.len()) {
                let closed = |v: i32| -> Result<i64, Failed> { Ok(checked(v - 1)? as i64 + converted(v)?) };
                let code = |r: Result<i64, Failed>| match r { Ok(n) => n, Err(f) => f.code * 100 + f.at[0] as i64 * 10 + f.at[1] as i64 };
                let w = match wrapped(x[i]) {
                    Ok(n) => n,
                    Err(Wrapped(Small::Odd(n), k)) => n * 10 + k as i32,
                    Err(Wrapped(Small::Zero, k)) => k as i32 - 1000,
                };
                y[i] = code(converted(x[i])) + code(closed(x[i])) * 1000 + w as i64 * 7;
            }
        }
    }
    [device] {
        pub fn bumped(y: &mut i32) { *y = *y * 3 + 1; }
    }
    [device] {
        /// Leaves by statements, whose value is `()`.
        pub fn left(x: i32, y: &mut i32, way: usize) {
            match way % 6 {
                0 => {
                    let Some(v) = halved(x) else { return assert!(x % 2 != 0) };
                    *y = v;
                }
                1 => { if x > 3 { return loop { break; }; } *y = x; }
                2 => { if x < 3 { return match x { 0 => bumped(y), _ => {} }; } *y = 7; }
                3 => { if x < 3 { return if x > 0 { *y -= 1; } else { bumped(y) }; } *y = 9; }
                4 => { if x < 3 { return { bumped(y); }; } *y = 11; }
                _ => { if x < 3 { return for _ in 0..x { bumped(y) }; } *y = 13; }
            }
            bumped(y)
        }
    }
    [device] {
        /// The result is spelled in another way than `()`.
        pub fn as_nothing(x: i32, y: &mut i32) -> Nothing {
            if x > 2 { return bumped(y); }
            loop {
                if *y > 20 { break; }
                *y = *y + 30;
            }
        }
    }
    [kernel] {
        /// Loops and blocks that a closure ends with, and that are left without a value; `continue`
        /// in a condition.
        pub fn leaving(x: &[i32], y: &mut [i32]) {
            for i in par(0..y.len()) {
                let k = x[i];
                let mut s = k * k;
                Pair { a: k, b: 7 }.each(|v| { s += v; loop { if s < 2 { break; } s -= 2; } });
                Pair { a: k, b: 0 }.each(|v| 'done: { if v == 0 { break 'done; } bumped(&mut s) });
                let mut divided = |v: i32| { if v == 0 { return bumped(&mut s); } s += 10 / v; };
                divided(k);
                divided(0);
                let mut z = s;
                left(k, &mut z, i);
                as_nothing(k, &mut z);
                let (mut p, mut rounds) = (k, 0);
                'again: while {
                    rounds += 1;
                    for j in 0..3 { if x[j] == p { p += 1; continue 'again; } }
                    let q = p % 5;
                    q != 0 && rounds < 20
                } { p += 1; }
                y[i] = z * 100 + p + rounds;
            }
        }
    }
    [kernel] {
        /// Closures in variables, which change what is around them, return early, call each other,
        /// hide names and are passed on.
        pub fn local(x: &[i32], y: &mut [i32]) {
            for i in par(0..y.len()) {
                let k = x[i];
                let scaled = |v| v * k + x[0];
                let at = |j: usize| x[j % x.len()];
                let mut calls = 0;
                let mut count = |by: i32| {
                    calls += by;
                    if calls > 3 {
                        return calls * 2;
                    }
                    for j in 0..by {
                        if j == 1 { return -1; }
                    }
                    calls
                };
                let first = count(1) + count(k & 3) * 10 + count(2);
                let nested = |a: i32| {
                    let k = a + 1;
                    let inner = |b: i32| b * k + scaled(b);
                    inner(a) - inner(2)
                };
                let quarter = |v: i32| {
                    let half = halved(v)?;
                    Some(halved(half)? + 1)
                };
                let of = match quarter(k) { Some(v) => v, None => -7 };
                let clamped = |v: i32| -> i32 { if v > 100 { return 100; } v };
                let hide = |scaled: i32| scaled + 1;
                let scaled2 = |v: i32| scaled(v) + hide(v);
                let mut log = 0i32;
                let mut write = |v: i32| log = log.wrapping_mul(31).wrapping_add(v);
                write(first);
                Pair { a: 3, b: k }.each(&mut write);
                [1, k, 4].walk(&mut write);
                write(9);
                let p = Pair { a: k, b: 2 }.mapped(scaled).mapped(&nested).mapped(|v| clamped(v));
                let mut seen = 0i32;
                let both_of = Pair { a: k, b: 3 };
                both_of.each(|v| match v { 3 => seen += 1, _ => () });
                both_of.each(|v| if v > 2 { seen += 10 } else { () });
                both_of.each(|v| match v { i32::MIN => println!("{v}"), -7 => panic!("{v}"), _ => seen = seen * 2 + v });
                both_of.each(|v| if v == i32::MIN { assert!(v == 0) } else { 'all: { if v == 3 { break 'all; } seen += 7 } });
                // SAFETY: the index is that of the iteration.
                both_of.each(|v| unsafe { y[i] = v + seen });
                both_of.each(|v| { y[i] += v; });
                both_of.each(|_| ());
                let either = |v: i32| if v > 3 { return 1; } else { return 2; };
                let chosen = |v: i32| match v & 1 { 0 => { return 5; } _ => v };
                seen += y[i] + either(k) + chosen(k);
                let mut q = Pair::made(|| k + 1);
                let changed = q.change(|old| Pair { a: old.b - 3, b: p.a });
                y[i] = log ^ (nested(k) + of * 3 + at(i + 1) + scaled2(first) + p.a * 5 + p.b + changed + q.a * q.b)
                    ^ both::<i32, _, 2>(scaled, scaled, [k, 3]) ^ weighed(q, k) ^ weighed([k, 2, 5], 3)
                    ^ (q.folded(0.5f32, |s, v| s + v as f32) as i32) ^ calls ^ seen ^ self::at::<_, _>(|v| v - 1, k);
            }
        }
    }
}

sources! { closures, leaving, errors, local }
