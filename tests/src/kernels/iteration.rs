//! Iteration without indexes, and variables that hold parts of slices. Each function exists twice
//! from the same tokens: as a `#[device]` function and as plain Rust, in `plain`.

use anabranch::prelude::*;

use super::sources;

macro_rules! both {
    ($($(#[$doc:meta])* fn $name:ident($x:ident: &[i32], $y:ident: &mut [i32]) -> i64 $body:block)*) => {
        $( $(#[$doc])* #[device] #[allow(unused, clippy::all, reason = "as below")]
        pub fn $name($x: &[i32], $y: &mut [i32]) -> i64 $body )*

        /// The same as plain Rust.
        #[allow(unused, clippy::all, reason = "it is written to use the language, not to be short")]
        pub mod plain {
            #[allow(unused_imports, reason = "the bodies name what is around them")]
            use super::*;
            $( $(#[$doc])* pub fn $name($x: &[i32], $y: &mut [i32]) -> i64 $body )*
        }

        /// Every function on every row, one after the other.
        #[kernel]
        pub fn iteration(x: &[i32], y: &mut [i32], out: &mut [i64], width: usize) {
            for i in par(0..x.len() / width) {
                let row = &x[i * width..i * width + width];
                let own = &mut y[i * width..i * width + width];
                let mut at = 0;
                $(
                    out[i * COUNT + at] = $name(row, own);
                    at += 1;
                )*
                assert_eq!(at, COUNT);
            }
        }

        /// Their names, and plain Rust.
        pub const FUNCTIONS: &[(&str, fn(&[i32], &mut [i32]) -> i64)] = &[$((stringify!($name), plain::$name)),*];
        /// How many there are.
        pub const COUNT: usize = FUNCTIONS.len();
    };
}

both! {
    /// The elements of slices, by reference and by value.
    fn visits(x: &[i32], y: &mut [i32]) -> i64 {
        let (mut sum, mut last) = (0i64, 0);
        for v in x {
            sum += *v as i64;
        }
        for &v in x {
            sum = sum * 3 + v as i64;
        }
        for v in x.iter() {
            last = v + 1;
            let twice = *v * 2 - v;
            sum += i64::from(twice ^ *v);
        }
        for v in &x[1..x.len() / 2] {
            sum -= i64::from(*v);
        }
        for v in x[..=2].iter().copied() {
            sum += i64::from(v);
        }
        for &mut v in y.iter_mut() {
            sum += i64::from(v);
        }
        for _ in &x[3..] {
            sum += 1;
        }
        sum + i64::from(last)
    }

    /// Elements with their numbers, in both directions, and some of them.
    fn counts(x: &[i32], y: &mut [i32]) -> i64 {
        let mut sum = 0i64;
        for (i, v) in x.iter().enumerate() {
            sum += i as i64 * *v as i64;
        }
        for (i, &v) in x[2..].iter().enumerate().rev() {
            sum = sum * 3 + i as i64 - v as i64;
        }
        for v in x.iter().rev().step_by(2) {
            sum = sum * 5 + *v as i64;
        }
        for v in x.iter().step_by(3).rev() {
            sum = sum * 7 + *v as i64;
        }
        for i in (0..x.len()).rev().step_by(2) {
            sum += x[i] as i64;
        }
        'rows: for (i, v) in y.iter_mut().enumerate() {
            for w in x {
                if w == &7 {
                    continue 'rows;
                }
                if *w < 0 {
                    break 'rows;
                }
                if *w > 100 { break }
            }
            *v += i as i32;
        }
        sum
    }

    /// Several slices at once: the shortest ends the loop.
    fn zips(x: &[i32], y: &mut [i32]) -> i64 {
        let mut sum = 0i64;
        for (a, b) in x.iter().zip(y.iter()) {
            sum += i64::from(*a) * i64::from(*b);
        }
        for (v, &a) in y.iter_mut().zip(x) {
            *v = (*v ^ a) + 1;
        }
        for (v, a) in y[1..].iter_mut().zip(&x[..3]) {
            *v -= a;
        }
        for (i, (a, &b)) in x.iter().zip(&x[1..]).enumerate() {
            sum = sum * 3 + i64::from(a - b) * i as i64;
        }
        for ((a, b), c) in x.iter().zip(x[1..4].iter()).zip(&x[2..]).rev() {
            sum = sum * 5 + i64::from(a - b) + i64::from(*c);
        }
        sum
    }

    /// Arrays.
    fn arrays(x: &[i32], y: &mut [i32]) -> i64 {
        let mut sum = 0i64;
        let mut a = [x[0], x[1], 3, 4];
        let table = [(1, [2, 3]), (4, [5, 6])];
        for v in &a {
            sum += i64::from(*v);
        }
        for v in &mut a {
            *v += 1;
        }
        for v in a.iter_mut().rev() {
            *v = *v * 2 + y[0];
        }
        for (i, v) in a[1..3].iter_mut().enumerate() {
            *v += i as i32;
        }
        for v in a {
            sum = sum * 3 + i64::from(v);
        }
        for row in &table {
            sum += i64::from(row.0);
            for v in &row.1 {
                sum = sum * 7 + v;
            }
        }
        for &(a, [b, c]) in table.iter() {
            sum += a * b - c;
        }
        let none: [i32; 0] = [];
        for v in &none {
            sum += i64::from(*v);
        }
        sum
    }

    /// Variables that hold parts of slices and arrays, and references to places.
    fn parts(x: &[i32], y: &mut [i32]) -> i64 {
        let middle = &x[1..x.len() - 1];
        let inner = &middle[1..];
        let mut sum = i64::from(middle[0]) + i64::from(inner[inner.len() - 1]);
        {
            let head: &mut [i32] = &mut y[..2];
            head[0] += middle[1];
            head[1] = head[0] - 1;
            for v in head.iter_mut() {
                *v += 3;
            }
        }
        let first = &x[0];
        let mut pair = (first + 1, [*first; 3]);
        let p = &mut pair;
        p.0 += 1;
        p.1[2] = p.0 * 2;
        let q = &pair.1;
        for v in q {
            sum = sum * 3 + i64::from(*v);
        }
        for v in q.iter().rev() {
            sum = sum * 3 + i64::from(*v);
        }
        let x = &y[1..];
        sum + i64::from(x[0]) + x.len() as i64
    }

    /// Iterators that end in a value.
    fn ends(x: &[i32], y: &mut [i32]) -> i64 {
        let k = i64::from(x[0] % 5);
        let mut sum: i64 = x.iter().map(|v| i64::from(*v) * k).sum();
        sum += x[1..].iter().sum::<i32>() as i64 + i64::from(x[..3].iter().map(|v| v % 7 + 8).product::<i32>());
        sum = sum * 3 + x.iter().copied().max().unwrap_or(0) as i64;
        sum = sum * 3 + i64::from(y.iter().rev().copied().min().unwrap_or(9));
        sum += x.iter().filter(|&v| *v > 50).count() as i64;
        sum += x.iter().filter(|&&v| v % 2 == 0).map(|v| v / 2).filter(|&v| v > 3).map(|v| v as i64).sum::<i64>();
        sum = x.iter().zip(y.iter()).fold(sum, |sum, (a, &b)| sum * 3 + i64::from(a ^ b));
        sum = (0..x.len()).rev().step_by(2).fold(sum, |acc, i| acc * 2 + x[i] as i64);
        if x.iter().any(|&v| v == 7) || x.iter().enumerate().all(|(i, v)| *v as usize > i) {
            sum += 1;
        }
        match x.iter().position(|v| *v < 0) {
            Some(at) => sum += at as i64,
            None => sum -= 1,
        }
        let none = x.iter().copied().filter(|v| false).max();
        if none.is_none() && y[..0].iter().all(|_| false) && !y[..0].iter().any(|_| true) {
            sum += 5;
        }
        let mut calls = 0;
        let found = x.iter().any(|v| { calls += 1; *v > 20 });
        y.iter_mut().enumerate().for_each(|(i, v)| *v += i as i32 + calls);
        let a = [1u8, 2, 250];
        sum += i64::from(a.iter().map(|&v| u32::from(v)).sum::<u32>());
        let pairs = [(1, 2.5f32), (3, 0.25)];
        sum += pairs.iter().map(|&(n, w)| n as f32 * w).sum::<f32>() as i64;
        let empty: [f32; 0] = [];
        sum += (empty.iter().sum::<f32>().to_bits() >> 31) as i64 * 2 + empty.iter().product::<f32>() as i64;
        sum + (1..=4).map(|i: i64| i * k).filter(|i| *i % 2 == 0).sum::<i64>() + (0..10).filter(|i| i % 3 == 0).count() as i64
    }

    /// Iterators in any order, their first and last items, and chains that end early.
    fn any_order(x: &[i32], y: &mut [i32]) -> i64 {
        let mut sum = 0i64;
        let mut add = |at: usize, v: i32| sum = sum.wrapping_mul(3).wrapping_add(at as i64 * 1000 + v as i64);
        for (at, v) in x.iter().rev().enumerate() { add(at, *v); }
        for (at, v) in x.iter().enumerate().rev() { add(at, *v); }
        for (at, v) in x[1..].iter().skip(2).enumerate() { add(at, *v); }
        for (at, v) in x.iter().enumerate().skip(2).take(3) { add(at, *v); }
        for (at, v) in x.iter().rev().take(2).enumerate() { add(at, *v); }
        for (at, v) in x.iter().rev().skip(4).enumerate() { add(at, *v); }
        for (at, v) in x.iter().rev().enumerate().skip(1).take(20) { add(at, *v); }
        for (at, v) in x.iter().skip(1).rev().enumerate() { add(at, *v); }
        for (at, v) in x.iter().skip(9).enumerate() { add(at, *v); }
        for (at, v) in x.iter().take(0).enumerate().rev() { add(at, *v); }
        for (a, &b) in x.iter().rev().zip(&x[2..]) { add(b as usize & 7, *a); }
        for (a, &b) in x.iter().zip(x.iter().rev()) { add(b as usize & 7, *a); }
        for ((at, a), b) in x.iter().enumerate().zip(x.iter().skip(1)).rev() { add(at, a - b); }
        for (a, (at, b)) in x[..4].iter().rev().zip(x.iter().enumerate()) { add(at, a ^ b); }
        for (at, v) in x.iter().take(5).enumerate().step_by(2) { add(at, *v); }
        for (out, (at, v)) in y.iter_mut().rev().zip(x.iter().enumerate()) { *out += at as i32 - v; }
        let mut seen = 0;
        let found = x.iter().copied().find(|v| { seen += 1; *v > 30 });
        let late = x.iter().copied().enumerate().rev().find(|&(at, v)| at < 4 && v % 2 == 0).map_or(-1, |(at, v)| at as i64 + v as i64);
        let mut inspected = 0;
        let early = x.iter().copied().inspect(|v| inspected += *v as i64).take_while(|&v| v != 5 && v > -150).map(|v| v as i64).sum::<i64>();
        let reduced = x.iter().copied().filter(|v| v % 3 != 0).reduce(|a, b| a ^ (b * 2)).unwrap_or(7);
        let nearest = x.iter().copied().min_by(|a, b| (a - 20).abs().cmp(&(b - 20).abs()));
        let farthest = x.iter().map(|v| v / 10).max_by(|a, b| (*a - 2).abs().cmp(&(*b - 2).abs())).unwrap_or(0);
        let float = x.iter().map(|&v| v as f32 * 0.5).max_by(|a, b| a.total_cmp(b)).unwrap_or(0.0);
        let mut step = 1usize;
        let stepped = (0..10usize).step_by({ step += 1; step }).fold(step, |a, j| a * 3 + j)
            + x.iter().enumerate().step_by({ step += 1; step }).fold({ step += 4; step }, |a, (at, _)| a * 3 + at)
            + (0..step).rev().step_by(1 + 1).map(|j| { step += 1; j * step }).sum::<usize>();
        let nothing = x[..0].iter().copied().find(|_| true).is_none() && x[..0].iter().copied().reduce(|a, _| a).is_none();
        sum / 4 + found.unwrap_or(-3) as i64 * 7 + seen + late + early + inspected + (reduced + nearest.unwrap_or(1) * 3 + farthest) as i64
            + (float * 4.0) as i64 + nothing as i64 + stepped as i64
    }

    /// Closures that get references to items, among them references.
    fn by_reference(x: &[i32], y: &mut [i32]) -> i64 {
        let mut sum = x.iter().filter(|v| **v > 1).count() as i64;
        let mut add = |v: i32| sum = sum.wrapping_mul(3).wrapping_add(v as i64);
        add(x.iter().enumerate().filter(|(k, v)| k % 2 == 0 && **v > 1).map(|(_, v)| *v).sum());
        add(x.iter().zip(y.iter()).filter(|(a, b)| a == b || **a % 2 < *b % 3).count() as i32);
        add(x.iter().enumerate().filter(|&(k, v)| k > 2 && *v < 30).map(|(k, v)| k as i32 ^ v).sum());
        add(x.iter().skip_while(|v| **v < 20).take_while(|v| *v % 7 != 3).inspect(|v| assert!(**v < 1 << 30)).sum());
        add(x.iter().enumerate().skip_while(|(k, v)| *k < 2 || **v > 13).map(|(k, v)| k as i32 * *v / 8).sum());
        add(x.iter().find(|v| v.abs() > 20).copied().unwrap_or(-9) + x[..0].iter().find(|v| **v == 0).cloned().unwrap_or(5));
        add(x.iter().max_by(|a, b| (*a % 9).cmp(&(*b % 9))).copied().unwrap_or(0) - x.iter().min().copied().unwrap_or(7));
        add(x.iter().min_by(|a, b| b.cmp(a)).copied().map_or(1, |v| v / 2));
        add(x.iter().filter(|a| x.iter().filter(|b| a == b).count() == 1).map(|v| v / 2).sum());
        add(x.iter().map(|v| (*v, v / 3)).filter(|(a, b)| *a > 1 && b % 2 == 1).filter(|p| p.0 < 60).map(|p| p.0 ^ p.1).sum());
        add(x.iter().copied().enumerate().filter(|p| p.0 % 2 == 0).map(|(k, v)| v - k as i32).sum());
        add(x.iter().filter(|v| (2..=40).contains(*v)).count() as i32 + (0..10).filter(|v| (2..=4).contains(v)).count() as i32);
        add(x.iter().filter(|v: &&i32| **v > 9).map(|v: &i32| v % 9).filter(|v: &i32| *v != 3).sum());
        let pairs = [(1i32, x[0] % 100), (3, x[1] % 100), (5, 2)];
        add(pairs.iter().map(|(a, b)| a * b).sum::<i32>() + pairs.iter().filter(|(a, b)| a < b).count() as i32);
        add(pairs.iter().copied().filter(|(a, b)| a < b).map(|(a, _)| a).sum());
        for (a, b) in &pairs { add(a - b); }
        y.iter_mut().filter(|v| **v % 2 == 0).for_each(|v| *v += 10);
        let mut last = 0;
        let rising = x.iter().filter(|v| { let up = **v > last; last = **v; up }).count() as i64;
        let v = 3;
        sum / 2 + rising + last as i64 + x.iter().filter(|v| **v > 2).map(|w| (w % 50 + v) as i64).sum::<i64>()
    }

    /// Parentheses that change nothing, and the elements of a slice through `*`.
    fn in_parentheses(x: &[i32], y: &mut [i32]) -> i64 {
        let mut sum = (*x)[1] as i64 + (*x).len() as i64;
        for (k) in 0..(*y).len() { (*y)[k] += k as i32; }
        let (a) = (*x)[1..3].iter().map(|(v)| v % 5).sum::<i32>();
        let mut row = &mut y[1..4];
        row[0] ^= 1;
        (*row)[1] += row[0];
        let part = &(*row)[1..];
        sum += part[0] as i64 * 3 + (*part).len() as i64;
        for ((at, (v))) in (*x).iter().enumerate() { sum += at as i64 ^ *v as i64; }
        sum + match (x[2]) { (0) => 1, (n) if n > 5 => 2, (_) => a as i64 }
    }
}

/// The sum of each row of a matrix, and the row scaled in place.
#[kernel]
pub fn rows(x: &[f32], scaled: &mut [f32], sums: &mut [f32], width: usize) {
    for i in par(0..sums.len()) {
        let mut sum = 0.0;
        for v in &x[i * width..(i + 1) * width] {
            sum += v;
        }
        sums[i] = sum;
        for (out, v) in scaled[i * width..(i + 1) * width].iter_mut().zip(&x[i * width..(i + 1) * width]) {
            *out = *v / sum;
        }
    }
}

/// A whole slice in every iteration, with the numbers of its elements, and elements by reference.
#[kernel]
pub fn weighted(x: &[f32], weights: &[f32], out: &mut [[f32; 2]]) {
    for i in par(0..out.len()) {
        let own = &mut out[i];
        for (k, w) in weights.iter().enumerate() {
            if i + k < x.len() {
                own[0] += x[i + k] * w;
            }
        }
        for v in own.iter_mut() {
            *v += 1.0;
        }
    }
}

/// A generic function with chains.
#[device]
pub fn norm<T: Float>(x: &[T]) -> T {
    x.iter().map(|v| *v * *v).sum::<T>().sqrt()
}

/// Chains over slices of the kernel, in expressions, and in generic functions.
#[kernel]
pub fn chains(x: &[f32], out: &mut [f32], width: usize) {
    for i in par(0..out.len()) {
        let row = &x[i * width..(i + 1) * width];
        let mean = row.iter().sum::<f32>() / width as f32;
        let spread: f32 = x[i * width..(i + 1) * width].iter().map(|v| (v - mean) * (v - mean)).sum();
        let largest = row.iter().fold(f32::NEG_INFINITY, |most, &v| most.max(v));
        out[i] = norm(row) + spread * largest + x.iter().filter(|&&v| v > mean).count() as f32;
    }
}

/// Elements of elements, of host values, of constants and of fields.
#[kernel]
pub fn of_other_places(x: &[[f32; 2]], out: &mut [f32], taps: [f32; 3]) {
    const TABLE: [f32; 2] = [10.0, 20.0];
    for i in par(0..out.len()) {
        let mut sum = 0.0;
        for v in &x[i] {
            sum += v;
        }
        for (v, t) in x[i].iter().zip(&TABLE) {
            sum += v * t;
        }
        for t in taps.iter().rev() {
            sum = sum * 0.5 - -t;
        }
        let pair = (x[i], 3u32);
        sum += pair.0.iter().sum::<f32>() + TABLE.iter().map(|a| taps.iter().map(|b| a * b).sum::<f32>()).sum::<f32>();
        out[i] = sum;
    }
}

/// A part that is not there, before any of its elements is visited.
#[kernel]
pub fn part_out_of_bounds(x: &[u32], out: &mut [u32], end: usize) {
    for i in par(0..out.len()) {
        out[i] = 1;
        for v in &x[1..end] {
            out[i] += v;
        }
    }
}

sources! { iteration, rows, weighted, chains, of_other_places, part_out_of_bounds }
