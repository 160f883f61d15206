//! The language of device code, one function a topic. Each body exists twice from the same tokens:
//! as a `#[device]` function and as plain Rust, in `plain`.

use anabranch::prelude::*;

use super::sources;

/// Bounds that patterns and bodies name.
pub mod limits {
    /// A number.
    pub const FEW: i32 = 3;
    /// A table.
    pub const PRIMES: [(i32, bool); 5] = [(2, true), (3, false), (5, false), (7, false), (11, true)];
}

macro_rules! both {
    ($($(#[$doc:meta])* fn $name:ident($x:ident: i32) -> i64 $body:block)*) => {
        $( $(#[$doc])* #[device] #[allow(unused, clippy::all, reason = "as below")] pub fn $name($x: i32) -> i64 $body )*

        /// The same as plain Rust.
        #[allow(unused, clippy::all, reason = "it is written to use the language, not to be short")]
        pub mod plain {
            use super::limits;
            #[allow(unused_imports, reason = "the bodies name what is around them")]
            use super::*;
            $( $(#[$doc])* pub fn $name($x: i32) -> i64 $body )*
        }

        /// Every function on every number, one row a function.
        #[kernel]
        pub fn language(x: &[i32], out: &mut [i64]) {
            let n = x.len();
            for i in par(0..n) {
                let mut row = 0;
                $(
                    out[row * n + i] = $name(x[i]);
                    row += 1;
                )*
                assert_eq!(row, COUNT);
            }
        }

        /// Their names, and plain Rust.
        pub const FUNCTIONS: &[(&str, fn(i32) -> i64)] = &[$((stringify!($name), plain::$name)),*];
        /// How many there are.
        pub const COUNT: usize = FUNCTIONS.len();
    };
}

both! {
    /// Numbers, ranges, constants, alternatives, bindings and guards.
    fn matches(x: i32) -> i64 {
        const MANY: i32 = 100;
        let kind = match x {
            i32::MIN..=-100 => -2,
            -99..0 => -1,
            0 => 0,
            1 | 2 => 1,
            limits::FEW => 3,
            n @ (4..=9 | 11) => n * 2,
            n if n % 2 == 0 && n < MANY => n / 2,
            MANY.. => 4,
            _ => 5,
        };
        let pair = match (x % 3, x % 2 == 0) {
            (0, true) => 10,
            (0, even) | (1, even) if !even => 20,
            (r @ 1.., _) => r * 30,
            (-1, _) | (_, false) => 40,
            _ => 50,
        };
        i64::from(kind) * 1000 + i64::from(pair)
    }

    /// Patterns that always match, from both ends.
    fn takes_apart(x: i32) -> i64 {
        let (a, (mut b, c), ..) = (x, (x / 2, [x, 1, 2, 3]), true, 9u8);
        let [first, .., last] = c;
        let [_, second, ..] = c;
        let (.., (d, _)) = (1, (2, 3));
        b += d;
        i64::from(a) + i64::from(b) * 3 + i64::from(first) * 5 + i64::from(last + second) * 7
    }

    /// A value that comes later, and one that may not come.
    fn late(x: i32) -> i64 {
        let y;
        let (0.., z) = (x, x / 3) else { return -7 };
        if z > 10 {
            y = 1i64;
        } else {
            y = match z { 0 => 5, other => i64::from(other) };
        }
        y * 11
    }

    /// `if let`, `while let`, labelled blocks, and breaks with values.
    fn leaves(x: i32) -> i64 {
        let mut left = (x % 17, 0i64);
        while let (1.., sum) = left {
            if sum > 40 { break; }
            left = (left.0 - 1, sum + i64::from(left.0));
        }
        let found = 'search: {
            if x < 0 { break 'search -1; }
            for i in 0..5 {
                for j in i..5 {
                    if i * j == x % 7 { break 'search i * 10 + j; }
                    if j > 3 { continue; }
                }
            }
            99
        };
        let odd = if let (r @ (1 | -1), _) = (x % 2, 0) { i64::from(r) } else { 7 };
        let odd = odd + i64::from(matches!(x % 6, 1 | 3..) || matches!((x, left.0), (0.., l) if l > 0));
        let mut k = 0;
        let out = 'outer: loop {
            loop {
                k += 1;
                if k % 3 == 0 { continue 'outer; }
                if k > x % 11 { break 'outer k; }
            }
        };
        left.1 * 100 + i64::from(found) + odd * 3 + i64::from(out)
    }

    /// Conditions with several parts, among them `let`s.
    fn let_chains(x: i32) -> i64 {
        let (some, none) = (if x % 3 == 0 { Some(x / 3 % 1000) } else { None }, None::<i32>);
        let mut log = 0i64;
        let mut said = |what: i64| { log = log * 5 + what; what > 2 };
        // The order of the parts, and what is not evaluated.
        if said(3) && let Some(v) = some && said(v as i64 % 4 + 1) && let (w, 0..) = (v * 2, v) && w > v { said(4); } else { said(1); }
        if let Some(x) = some && x % 2 == 0 { said(2); }
        if x > 5 && let None = none { said(3); }
        // A name hides another one in what comes after it, but not after `else`.
        let v = 7;
        let hidden = if let Some(v) = some && let Some(w) = Some(v + 1) && v != w && w % 2 == 0 { v * 10 + w } else { v };
        let nested = if x > 0 && let (1 | 2, y) | (y, 0) = (x % 4, x % 5) { y } else if let Some(mut s) = some && { s += 1; s > 3 } { s } else { -1 };
        let mut left = (x % 13, 0);
        while left.0 > 0 && let (n @ 1.., sum) = left && sum < 30 {
            left = (n - 1, sum + n);
            if n % 4 == 0 { continue; }
            if let 5 = n && sum > 3 { break; }
        }
        let mut k = 0;
        let out = loop {
            k += 1;
            let next = if let 0 = k % 3 && x % 2 == 0 { continue } else if let Some(s) = some && k > s % 5 { break k * 2 } else { k };
            if next > 6 { break next; }
        };
        let unit = if let true = x > 3 && x < 9 { 5u8 } else { 6 };
        log * 3 + hidden as i64 * 7 + nested as i64 * 11 + left.0 as i64 + left.1 as i64 * 100 + out as i64 + unit as i64
    }

    /// Ranges backwards and with steps, up to the ends of their types.
    fn ranges(x: i32) -> i64 {
        let mut sum = 0i64;
        for i in (0..x % 20).rev() { sum = sum * 3 % 1009 + i64::from(i); }
        for i in (-5..=x % 9).step_by(3) { sum += i64::from(i) * 7; }
        for i in (0..x % 13).rev().step_by(2) { sum = sum * 5 % 2003 + i64::from(i); }
        for i in (0..10usize).step_by(4).rev() { sum += i as i64 * 13; }
        for i in (250u8..=255).rev() { sum += i64::from(i); }
        for i in (-128i8..=127).step_by(100) { sum = sum * 2 % 4001 + i64::from(i); }
        for mut i in 0..3 { i *= 2; sum += i; }
        for _ in 0..=u8::MAX { sum += 1; }
        sum
    }

    /// Arrays of arrays, and the order in which their indexes are evaluated.
    fn arrays(x: i32) -> i64 {
        let mut a = [[1i64; 3]; 2];
        let mut k = 0usize;
        a[k][{ k += 1; k }] = i64::from(x);
        a[{ k += 1; k - 1 }][k] += a[0][1] + { k -= 1; 5 };
        let b = a;
        a[1] = [b[0][1], b[1][2], k as i64];
        let at = [2usize, 0, 1];
        a[at[2] % 2][at[at[0]]] *= 2;
        let flat = [a[0][0], a[0][1], a[0][2], a[1][0], a[1][1], a[1][2]];
        let mut sum = 0;
        for i in 0..flat.len() { sum = sum * 3 % 100_003 + flat[i] % 1000; }
        sum + if a.is_empty() { 1 } else { 0 } + [10, 20, 30][k]
    }

    /// Tuples as values, in arrays and the other way round.
    fn tuples(x: i32) -> i64 {
        let mut t = ((x, -1i8), [(1u8, 2i64); 2]);
        t.1[1].1 = i64::from(t.0.0) + 7;
        t.0.1 -= 3;
        let swapped = (t.1[0], t.0);
        let ((a, b), (c, d)) = swapped;
        let less = (x % 4, [c, 2]) < (2, [c, 3]);
        let same = (a, b) == t.1[1];
        i64::from(d) + t.1[1].1 * 2 + i64::from(less) * 1000 + i64::from(same) * 10_000
    }

    /// Constants of every kind.
    fn constants(x: i32) -> i64 {
        const HERE: [i64; 3] = [5, 6, 7];
        use core::f64::consts::PI;
        let (prime, even) = limits::PRIMES[(x.unsigned_abs() % 5) as usize];
        let scaled = (PI * f64::from(x % 100)) as i64 + (std::f32::consts::E * 3.0) as i64;
        HERE[(x & 1) as usize] + i64::from(prime) + if even { i64::from(u8::MAX) } else { i64::from(i16::MIN) } + scaled
    }

    /// Values of blocks, chosen by control flow, in the middle of expressions.
    fn expressions(x: i32) -> i64 {
        let mut y = x % 1000;
        let z = y + { y = 3; y } * match y { 3 => { y += 1; y } _ => 0 } - { y };
        let w = (if z > 0 { z } else { -z }) % 97 + { let y = 5; y } * y;
        let unit = { y -= 1; };
        let () = unit;
        let flag = y > 2 && { y += 10; x > 0 } || { y += 100; z == 0 };
        i64::from(w) + i64::from(y) * 3 + i64::from(flag) + i64::from(-(-(x % 5)))
    }

    /// Loops over arrays, and assignments to many places at once.
    fn many_at_once(x: i32) -> i64 {
        let (mut a, mut b, mut c) = (x, 7i64, [1u8; 3]);
        for (dx, w) in [(-1, 2i64), (0, 3), (1, 5)] {
            if dx == x % 3 { continue; }
            (a, b) = (a / 2 + dx, b * w % 1013);
        }
        let mut k = 0;
        for row in [[1i64, 2], [3, 4]] {
            for v in row { k = k * 10 + v; }
        }
        (c[0], (_, c[2])) = (c[1] + 1, (0, (k % 200) as u8));
        [c[1], ..] = [9, 8, 7];
        (.., b) = (1, 2, b + i64::from(c[2]));
        for byte in x.to_le_bytes() { k += i64::from(byte); }
        i64::from(a) + b * 3 + k + i64::from(c[0]) + i64::from(c[1])
    }

    /// What random programs have found: each was refused by a compiler of the generated code.
    fn found_by_fuzzing(x: i32) -> i64 {
        let unread = 5;
        let mut set = 1;
        set = 2;
        let down = -(-7.75f64) + -(-f64::from(x % 8));
        let 0.. = ({ x % 3 }) else { return down as i64 };
        let true = (x > 3 && x < 100) else { return -1 };
        if let true = (x == 4 || x == 5) { return 1; }
        let mut k = x % 5;
        while let true = (k > 0 && k < 9) { k -= 1; }
        // A guard is asked for every alternative that matches.
        let mut asked = 0;
        let found = match (x % 7, x % 50) {
            (n, 0..=10) | (0..=3, n) if { asked += 1; n > 5 } => n,
            (..=3, _) | (_, 20..) if { asked += 10; false } => -1,
            (0 | 1..=2 | 0.., _) if { asked += 100; asked % 200 == 0 } => -3,
            _ => -2,
        };
        let ([first, _] | [_, first]) = [x, 3];
        let ((n, 1) | (1, n) | (n, _)) = (x % 4, x % 3);
        asked += n;
        down as i64 * 2 + i64::from(k) + i64::from(found) * 3 + i64::from(asked) * 5 + i64::from(first)
    }

    /// Numbers beyond `f32`, which only patterns of `f64` can hold.
    fn wide_patterns(x: i32) -> i64 {
        let wide = f64::from(x) * if x % 2 == 0 { 1e300 } else { 1e10 };
        let narrow = match x as f32 { -1e9..3e38 => 1, _ => 0 };
        match wide {
            2e300 => 10 + narrow,
            ..-1e302 => 20 + narrow,
            3e300..=1e301 => 30 + narrow,
            1e39..1e302 => 40 + narrow,
            _ => narrow,
        }
    }

    /// Assertions that hold, and those that nobody checks.
    fn asserts(x: i32) -> i64 {
        assert!(x == x, "a number is itself: {{}}");
        assert_ne!(x, x.wrapping_add(1));
        if x > i32::MAX - 1 && x < i32::MIN + 1 { unreachable!("nowhere"); }
        let y = if x % 2 == 0 || x % 2 != 0 { 2 } else { panic!() };
        i64::from(f32::max(2.5, -1.0) as i32 + i32::pow(y, 3) + u8::from_le_bytes([7]) as i32)
    }
}

sources!(language);
