//! Methods of `Option`, `Result` and `bool`, and those of integers that return an `Option`.
//! [`plain`] has the same functions without `#[kernel]`, as ordinary Rust.
#![allow(clippy::all, reason = "the forms that are tested")]

use anabranch::prelude::*;

/// Why there is no value.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
    /// For no reason.
    Nothing,
    /// Because of two numbers.
    Numbers(u8, i64),
}

/// A struct whose methods are called like those of `Option`.
#[device]
#[derive(Clone, Copy, Debug)]
pub struct Lookalike(pub u32);

#[device]
impl Lookalike {
    /// Not that of std.
    pub fn unwrap(self) -> u32 {
        self.0 + 1
    }
    /// Not that of std.
    pub fn expect(self, other: u32) -> u32 {
        self.0 + other
    }
    /// Not that of std.
    pub fn or(self, other: u32) -> u32 {
        self.0 | other
    }
    /// Not that of std.
    pub fn checked_div(self, other: u32) -> u32 {
        self.0.checked_div(other).unwrap_or(7)
    }
    /// Not those of std, with closures.
    pub fn map(self, f: impl Fn(u32, u32) -> u32) -> u32 {
        f(self.0, 2)
    }
    /// Of values, where std's has references.
    pub fn filter(self, f: impl Fn(Lookalike) -> bool) -> bool {
        f(self)
    }
    /// Of numbers.
    pub fn inspect(self, f: impl Fn(u32) -> u32) -> u32 {
        f(self.0)
    }
    /// By value.
    pub fn take(self) -> u32 {
        self.0
    }
    /// Not that of std.
    pub fn then_some(&mut self, other: u32) -> u32 {
        self.0 += other;
        self.0
    }
}

/// Even numbers.
#[device]
pub fn even(x: u32) -> Option<u32> {
    (x % 2 == 0).then_some(x)
}

/// Small ones, with side effects.
#[device]
pub fn small(x: u32, steps: &mut u32) -> Result<u32, Why> {
    *steps = *steps * 3 + x;
    if x > 50 { Err(if x > 70 { Why::Nothing } else { Why::Numbers(x as u8, -(x as i64)) }) } else { Ok(x) }
}

/// All of them in one function, with `?`.
#[device]
pub fn composed(x: u32, steps: &mut u32) -> Result<u32, Why> {
    let first = even(x).or(even(x + 1)).ok_or(Why::Nothing)?;
    let second = small(first, steps).or(small(first / 2, steps))?;
    let third = even(second).and(small(second, steps).ok()).ok_or(Why::Numbers(1, 2))?;
    small(third, steps).and(Ok(third.checked_add(x).unwrap_or_default()))
}

macro_rules! kernels {
    ($($(#[doc = $doc:literal])* fn $name:ident($($params:tt)*) $body:block)*) => {
        $(
            $(#[doc = $doc])*
            #[kernel]
            pub fn $name($($params)*) $body
        )*

        /// The same without a device.
        #[allow(clippy::needless_range_loop, clippy::ptr_arg, clippy::option_option, reason = "they read as the kernels do")]
        #[allow(clippy::unnecessary_literal_unwrap, reason = "likewise")]
        pub mod plain {
            use super::super::patterns::par::par;
            use super::{Lookalike, Why, composed, even, small};
            $(
                $(#[doc = $doc])*
                pub fn $name($($params)*) $body
            )*
        }

        super::sources! { $($name,)* checked_i8, checked_u8, failing }
    };
}
kernels! {
    /// Each method.
    fn methods(x: &[u32], y: &mut [u32]) {
        for i in par(0..x.len()) {
            let mut steps = 0;
            let a = even(x[i]);
            let b = small(x[i], &mut steps);
            let nested = (x[i] > 10).then_some(a);
            let pair = a.zip(b.ok()).unwrap_or((3, 4));
            let mut sum = a.xor(even(x[i] / 3)).unwrap_or_default() + nested.flatten().unwrap_or(9) + pair.0 * pair.1;
            if b.is_ok() && a.or(Some(4)).is_some() {
                sum += a.or(Some(4)).unwrap() + b.unwrap() * Some(2).expect("two");
            }
            sum += match b.err() {
                Some(Why::Numbers(n, m)) => n as u32 + m.unsigned_abs() as u32,
                Some(Why::Nothing) => 5,
                None => b.expect("no error"),
            };
            sum += match composed(x[i], &mut steps) {
                Ok(n) => n,
                Err(Why::Nothing) => 1000,
                Err(Why::Numbers(n, _)) => 2000 + n as u32,
            };
            let wide: Result<(u64, [f32; 2]), Why> = a.and(Some((x[i] as u64, [0.5, 1.5]))).ok_or(Why::Nothing);
            sum += wide.unwrap_or((7, [2.0, 3.0])).1[1] as u32;
            let unit: Option<()> = (sum % 2 == 0).then_some(());
            sum += unit.is_some() as u32 + wide.is_err() as u32;
            y[i] = sum + steps;
        }
    }

    /// Methods with closures, which count their calls.
    fn with_closures(x: &[u32], y: &mut [u32]) {
        for i in par(0..x.len()) {
            let (mut steps, mut calls) = (0, 0u32);
            let a = even(x[i]);
            let b = small(x[i], &mut steps);
            let mut seen = |v: u32| {
                calls = calls * 7 + v;
                calls % 5
            };
            let mut sum = a.map(|v| v + 1).unwrap_or_else(|| seen(1) + 50);
            sum += a.map_or(4, |v| v * 2 + x[0]) + a.map_or_else(|| seen(2), |v| v / 2);
            sum += a.and_then(|v| even(v / 2)).or_else(|| even(seen(3))).unwrap_or(6);
            sum += a.filter(|v| *v > 30 && v % 3 == 0).or(even(x[i] + 1)).filter(|&v| v < 90).is_some() as u32;
            sum += a.is_some_and(|v| v > 60) as u32 * 3 + a.is_none_or(|v| v > 20) as u32;
            sum += match a.ok_or_else(|| Why::Numbers(seen(4) as u8, 3)).map(|v| (v, 0.5f32)).map_err(|_| seen(5)) {
                Ok((v, half)) => v + (half * 4.0) as u32,
                Err(n) => n * 100,
            };
            sum += b.map(|v| v * 2).and_then(|v| small(v, &mut steps)).or_else(|why| match why {
                Why::Nothing => Err(seen(6)),
                Why::Numbers(n, m) => Ok(n as u32 + m.unsigned_abs() as u32),
            }).unwrap_or_else(|n| n + 2);
            sum += b.map_or(1, |v| v + 3) + b.map_or_else(|why| if why == Why::Nothing { 8 } else { 9 }, |v| v + 1);
            sum += b.is_ok_and(|v| v % 2 == 1) as u32 * 5 + b.is_err_and(|why| why == Why::Nothing) as u32;
            sum += (x[i] % 3 == 0).then(|| seen(7)).map_or(0, |v| v + 10);
            let order = x[i].cmp(&40).then_with(|| seen(8).cmp(&2)).then(calls.cmp(&900));
            a.inspect(|v| sum += *v);
            let _ = b.inspect(|v| sum ^= v * 2).inspect_err(|_| sum += 1000).is_ok();
            let scaled = |v: u32| v * 3 + i as u32;
            let (mut held, mut other) = (a.map(scaled).map(&scaled), Some((x[i], 2i8)));
            let before = held.take().map_or(11, |v| v + held.is_none() as u32);
            let pushed = other.replace((before, 3)).zip(other.take()).map(|((a, b), (c, d))| a + c * (b + d) as u32);
            held.replace(i as u32);
            let early = |v: Option<u32>| {
                let v = v.filter(|v| *v != 6)?;
                if v > 100 { return None; }
                Some(v + even(v)?)
            };
            let mut turned = |v: u32| -> Result<u32, Why> {
                let n = small(v, &mut steps)?;
                Ok(even(n).ok_or(Why::Numbers(1, 1))? + 1)
            };
            sum += early(a).unwrap_or(13) + turned(x[i] / 2).unwrap_or_else(|why| (why == Why::Nothing) as u32);
            let nested = a.map(|v| Some(v).filter(|v| *v > 8).map(|w| w * v)).flatten();
            y[i] = (sum ^ pushed.unwrap_or(5)) + nested.unwrap_or(2) + before + held.unwrap_or(1) + steps * 3 + (order as i32 + 1) as u32 + calls;
        }
    }

    /// A user's methods with these names, and operands in the order of Rust.
    fn lookalikes(x: &[u32], y: &mut [u32]) {
        for i in par(0..x.len()) {
            let mut like = Lookalike(x[i]);
            let mut steps = 1;
            let before = like.unwrap() + like.expect(3) * like.or(8) + like.checked_div(x[i] % 3);
            let ordered = small(like.then_some(2), &mut steps).or(small(like.then_some(5), &mut steps)).unwrap_or(like.0);
            let closed = like.map(|a, b| a * b + 1) + like.filter(|v| v.0 > 50) as u32 + like.inspect(|v| v / 2) + like.take();
            let some = Some(like).filter(|v| v.0 > 40 && v.unwrap() % 2 == 0).map_or(1, |v| v.map(|a, _| a));
            y[i] = before + ordered * 7 + steps + closed + some * 5;
        }
    }
}

/// What `unwrap` and `expect` say: 0 to 3 choose one that fails.
#[kernel]
pub fn failing(x: &[u32], y: &mut [u32], which: u32) {
    for i in par(0..x.len()) {
        let mut steps = 0;
        let number = small(x[i], &mut steps);
        y[i] = match which {
            0 => even(x[i]).unwrap(),
            1 => even(x[i]).expect("an even {number}"),
            2 => number.unwrap(),
            3 => number.expect("a \"small\" one"),
            _ => 1,
        };
    }
}

macro_rules! checked {
    ($($name:ident $plain:ident: $t:ident ($($arg:ident)*) $body:expr;)*) => { $(
        /// Every `checked_` method of any two numbers, folded into one number.
        #[kernel]
        pub fn $name(x: &[$t], y: &[$t], out: &mut [u64]) {
            for i in par(0..x.len()) {
                let ($($arg),*) = (x[i], y[i]);
                out[i] = $body;
            }
        }

        /// The same without a device.
        pub fn $plain(x: $t, y: $t) -> u64 {
            let ($($arg),*) = (x, y);
            $body
        }
    )* };
}
/// Appends an outcome to a number.
#[device]
pub fn fold(sum: u64, value: Option<i64>) -> u64 {
    let next = match value {
        Some(value) => value as u64 ^ 0x5555,
        None => 77,
    };
    (sum ^ next).wrapping_mul(0x100_0000_01b3)
}
/// The value as a wide one.
#[device]
pub fn wide<T: Num>(value: Option<T>) -> Option<i64> {
    match value {
        Some(value) => Some(value.cast()),
        None => None,
    }
}
checked! {
    checked_i8 plain_i8: i8 (a b) {
        let mut sum = fold(1, wide(a.checked_div(b)));
        sum = fold(sum, wide(a.checked_rem(b)));
        sum = fold(sum, wide(a.checked_div_euclid(b)));
        sum = fold(sum, wide(a.checked_rem_euclid(b)));
        sum = fold(sum, wide(a.checked_ilog(b)));
        sum = fold(sum, wide(a.checked_ilog2()));
        sum = fold(sum, wide(a.checked_ilog10()));
        sum = fold(sum, wide(a.checked_isqrt()));
        sum = fold(sum, wide(a.checked_add(b)));
        sum = fold(sum, wide(a.checked_pow(b as u32 % 5)));
        sum = fold(sum, wide(a.checked_abs()));
        fold(sum, wide(a.checked_neg()))
    };
    checked_u8 plain_u8: u8 (a b) {
        let mut sum = fold(1, wide(a.checked_div(b)));
        sum = fold(sum, wide(a.checked_rem(b)));
        sum = fold(sum, wide(a.checked_div_euclid(b)));
        sum = fold(sum, wide(a.checked_rem_euclid(b)));
        sum = fold(sum, wide(a.checked_ilog(b)));
        sum = fold(sum, wide(a.checked_ilog2()));
        sum = fold(sum, wide(a.checked_ilog10()));
        sum = fold(sum, wide(a.checked_next_multiple_of(b)));
        sum = fold(sum, wide(a.checked_next_power_of_two()));
        sum = fold(sum, wide(a.checked_mul(b)));
        sum = fold(sum, wide(a.checked_sub(b)));
        sum = fold(sum, wide(a.checked_signed_diff(b)));
        fold(sum, wide(a.checked_shl(b as u32)))
    };
}
