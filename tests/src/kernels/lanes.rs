//! Loops whose iterations run in lock step on the CPU.
#![allow(clippy::all, reason = "the forms that are tested")]

use anabranch::prelude::*;

use super::{both, sources};

both! {
    use {}
    [device] {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Body { pub x: f32, pub y: f32, pub mass: f64, pub seen: [u8; 2] }
    }
    [device] {
        impl std::ops::Sub for Body {
            type Output = Body;
            fn sub(self, other: Body) -> Body {
                Body { x: self.x - other.x, y: self.y - other.y, mass: self.mass - other.mass, seen: self.seen }
            }
        }
    }
    [device] {
        impl Body {
            pub fn square(self) -> f32 { self.x * self.x + self.y * self.y }
        }
    }
    [device] {
        pub fn soft(d: f32) -> f32 { 1.0 / (d + 0.01).sqrt() }
    }
    [kernel] {
        /// User types, operators and functions, and variables of many types.
        pub fn bodies(force: &mut [Body], all: &[Body], scale: &[f64]) {
            for i in par(0..force.len()) {
                let own = all[i];
                let mut sum = Body { x: 0.0, y: 0.0, mass: 0.0, seen: [0, 1] };
                let mut near = (false, 0i64);
                for j in 0..all.len() {
                    let d = all[j] - own;
                    let weight = soft(d.square());
                    sum.x += d.x * weight;
                    sum.y = sum.y + d.y * weight;
                    sum.mass -= scale[j] / (d.mass * d.mass + 1.0);
                    if d.square() < 0.3 && j != i {
                        near = (true, near.1 + j as i64);
                        sum.seen = [j as u8, near.0 as u8];
                    }
                }
                sum.mass += near.1 as f64;
                force[i] = sum;
            }
        }
    }
    [kernel] {
        /// Loops that iterations leave at different times, in several ways.
        pub fn left(out: &mut [i32], x: &[i32], w: usize, rounds: u32) {
            'pixels: for (y, i) in par((0..out.len() / w, 0..w)) {
                let at = y * w + i;
                let seed = x[at];
                if seed < -900 { continue; }
                let mut a = seed.wrapping_mul(7) | 1;
                let mut n = 0u32;
                'outer: while a != 1 && n < rounds {
                    n += 1;
                    let step = a & 3;
                    if step == 0 { a = a >> 1; continue; }
                    for k in 0..rounds {
                        if k as i32 > step { break; }
                        if a.wrapping_add(k as i32) % 11 == 5 { a ^= 64; continue 'outer; }
                        if a % 97 == 13 { break 'outer; }
                        a = a.wrapping_add(step * k as i32);
                    }
                    if n > 20 { if a % 5 == 3 { continue 'pixels; } else { a -= 1; } }
                    a = if a % 2 == 0 { a / 2 } else { a.wrapping_mul(3).wrapping_add(1) };
                }
                out[at] = a.wrapping_add(n as i32);
            }
        }
    }
    [kernel] {
        /// Loops in branches, stores in branches, and names that hide each other.
        pub fn branches(out: &mut [f32], best: &mut [u16], x: &[f32], m: usize, gain: f32) {
            for i in par(0..out.len()) {
                let x_i = x[i];
                let k = 3usize;
                let mut sum = x_i * k as f32;
                let k = k + m;
                let mut found = 0u16;
                if x_i > 0.25 {
                    for j in 0..m {
                        let x = x[j];
                        let k = x + k as f32;
                        sum = if x > x_i { sum + k } else if x < 0.1 { sum - gain } else { sum };
                        if x > 0.9 { found += 1; let k = gain * 2.0; sum += k; }
                    }
                    out[i] = sum;
                    if found > 2 { best[i] = found; }
                } else {
                    let mut j = m as i32;
                    loop {
                        j -= 1;
                        if j < 0 { break; }
                        sum += j as f32 * x_i;
                        if sum > 100.0 { break; }
                    }
                    out[i] = -sum;
                }
                out[i] += k as f32;
            }
        }
    }
    [kernel] {
        /// What only happens under a condition is not read for those for which it does not.
        pub fn guarded(out: &mut [u64], x: &[u64], few: &[u64], m: usize) {
            for i in par(0..out.len()) {
                let own = x[i];
                let mut sum = 0u64;
                for k in 0..m {
                    if own % 4 == 1 && k < few.len() { sum += few[k]; }
                    if own > 1_000_000 { sum += few[k]; }
                    sum = sum.rotate_left(3) ^ own;
                }
                out[i] = sum;
            }
        }
    }
    [kernel] {
        /// Numbers with all their special values.
        pub fn numbers(out: &mut [f64], bits: &mut [u8], x: &[f32], m: u8) {
            for i in par(0..out.len()) {
                let own = x[i];
                let mut sum = 0.0f64;
                let mut all = 0u8;
                for k in 0..m {
                    let quotient = own / k as f32;
                    let whole = quotient as i16;
                    let least = quotient.min(own).max(-1.0e30);
                    sum += if quotient.is_nan() { 1.0 } else { whole as f64 * 0.5 };
                    sum -= least as f64;
                    all = all.wrapping_mul(31) ^ quotient.to_bits().wrapping_shr(k as u32 + 30) as u8;
                    if !(quotient > own) { all |= 1; }
                }
                out[i] = sum;
                bits[i] = all;
            }
        }
    }
}

/// One at a time, because the user says so.
#[kernel(lanes = false)]
pub fn one_by_one(out: &mut [f32], x: &[f32]) {
    for i in par(0..out.len()) {
        let mut sum = 0.0;
        for k in 0..x.len() {
            sum += x[k];
        }
        out[i] = sum;
    }
}

#[device]
fn halved(a: u32, by: u32) -> u32 {
    if a > 10 { a / by } else { a }
}

/// Only rustc knows that these cannot run in lanes: a function with a branch, and a division of
/// integers.
#[kernel]
pub fn hidden(out: &mut [u32], ratio: &mut [u32], x: &[u32], by: u32) {
    for i in par(0..out.len()) {
        let mut sum = 0;
        for k in 0..x.len() {
            sum += halved(x[k], by);
        }
        out[i] = sum;
    }
    for i in par(0..ratio.len()) {
        let mut sum = 0;
        for k in 0..x.len() {
            sum += x[k] / by;
        }
        ratio[i] = sum;
    }
}

/// A variable that is kept, and one that is made of it in the same region: by a chain that is long,
/// and by an element that is read.
#[kernel]
pub fn chains(out: &mut [u64], moved: &mut [u64], x: &[u64], off: &[u64], m: usize) {
    for i in par(0..out.len()) {
        let a = i + m;
        let b = a + 1;
        let c = b + 1;
        let d = c + 1;
        let e = d + 1;
        let f = e + 1;
        let mut s = f as u64;
        for k in 0..m {
            s = (s ^ x[k]) + 3 * e as u64 + f as u64;
        }
        out[i] = s + e as u64;
    }
    for i in par(0..moved.len()) {
        let at = i as u64 + off[0];
        let b = at + 1;
        let mut s = b;
        for k in 0..m {
            s = (s ^ x[k]) + b;
        }
        moved[i] = s + at;
    }
}

/// The sum that wraps is behind a variable that is kept, and that only looks as if it grew with the
/// iterations.
#[kernel]
pub fn limited(out: &mut [u64], x: &[u64], off: &[usize], u: usize, m: usize) {
    for i in par(0..out.len()) {
        let at = (i + off[0]).min(u) + off[1];
        let mut s = 0;
        for k in 0..m {
            s = (s ^ x[at.min(x.len() - 1)]) + k as u64;
        }
        out[i] = s;
    }
}

/// Names that hide values of the host part, and a right side of `&&` that changes a variable.
#[kernel]
pub fn hiding(out: &mut [f32], counts: &mut [u32], x: &[f32], k: usize, rounds: usize) {
    let g = k as f32 + 0.5;
    for i in par(0..out.len()) {
        let at = i + k;
        let mut s = x[i] * g;
        let g = 100.0 * rounds as f32;
        for k in 0..rounds {
            s = s * 0.5 + x[at.min(x.len() - 1)] + g + k as f32;
            for t in 0..3 {
                s += x[(i + t).min(x.len() - 1)];
            }
        }
        out[i] = s;
    }
    for i in par(0..counts.len()) {
        let (value, mut n) = (x[i], 0);
        for j in 0..rounds {
            if value > x[j] && {
                n += 1;
                n > 2
            } {
                n += 100;
            }
        }
        counts[i] = n;
    }
}

/// Where the condition does not hold, an element would be far away.
#[kernel]
pub fn far(y: &mut [f32], x: &[f32], m: usize) {
    for i in par(0..y.len()) {
        let mut sum = 0.0;
        for r in 0..m {
            if i * 1000000000 + r < x.len() {
                for mut k in 0..1 {
                    k = i * 1000000000 + r;
                    sum += x[k];
                }
            }
        }
        y[i] = sum;
    }
}

/// A variable is made of a type that only its block knows.
#[kernel]
pub fn own_type(y: &mut [f32], x: &[u8], n: u32, m: usize) {
    for i in par(0..y.len()) {
        let part = {
            type Narrow = u8;
            let by = n as Narrow;
            x[i] / by
        };
        let mut sum = part as f32;
        for r in 0..m {
            sum += r as f32;
        }
        y[i] = sum;
    }
}

/// A number that no product may make 0.
#[device]
#[derive(Clone, Copy)]
pub struct Strict(
    /// The number.
    pub f32,
);

#[device]
impl std::ops::Mul for Strict {
    type Output = Strict;
    fn mul(self, by: Strict) -> Strict {
        assert!(self.0 * by.0 != 0.0, "a product is 0");
        Strict(self.0 * by.0)
    }
}

#[device]
impl std::ops::Div for Strict {
    type Output = Strict;
    fn div(self, by: Strict) -> Strict {
        Strict(self.0 / by.0)
    }
}

/// What is divided by is a product of values of the host part, which nothing makes unless it is
/// asked for.
#[kernel]
pub fn only_if(y: &mut [f32], a: Strict, b: Strict, scale: bool, n: usize) {
    for i in par(0..y.len()) {
        let mut s = Strict(i as f32);
        if scale {
            let d = a * b;
            for _ in 0..n {
                s = s / d;
            }
        }
        y[i] = s.0;
    }
}

sources! { far, own_type, only_if, bodies, left, branches, guarded, numbers, one_by_one, hidden, hiding, chains, limited }
