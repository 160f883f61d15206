//! Phases of blocks whose threads run in lock step on the CPU; and the same, one thread after the
//! other.
#![allow(clippy::all, reason = "the forms that are tested")]

use anabranch::prelude::*;

use super::sources;

/// Each kernel twice: as it is, and without lanes.
macro_rules! twice {
    ($($(#[doc = $doc:literal])* fn $name:ident $params:tt $body:block)*) => {
        $($(#[doc = $doc])* #[kernel] pub fn $name $params $body)*

        sources! { $($name,)* }

        /// One thread after the other.
        pub mod one_by_one {
            use anabranch::prelude::*;

            use super::{Point, Scale, decay};

            $($(#[doc = $doc])* #[kernel(lanes = false)] pub fn $name $params $body)*
        }
    };
}

/// What a phase computes.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Point {
    pub x: f32,
    pub y: f64,
    pub seen: [u8; 2],
}

/// A sum of these may fail.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Scale {
    pub by: f32,
    pub fails: bool,
}

#[device]
impl std::ops::Add for Scale {
    type Output = Scale;
    fn add(self, other: Scale) -> Scale {
        assert!(!other.fails, "this one fails");
        Scale { by: self.by + other.by, fails: self.fails }
    }
}

#[device]
impl std::ops::Div<Scale> for f32 {
    type Output = f32;
    fn div(self, scale: Scale) -> f32 {
        self / scale.by
    }
}

/// A function with a loop of its own.
#[device]
pub fn decay(x: f32, rounds: u32) -> f32 {
    let mut x = x;
    for k in 0..rounds {
        x = x * 0.75 + k as f32 * 0.01;
    }
    x
}

twice! {
    /// All pairs, with tiles that end before the data does.
    fn tiles(out: &mut [f32], x: &[f32], y: &[f32], n: usize) {
        for block in par_blocks(0..n.div_ceil(64)).threads(64) {
            let b = block.index();
            let mut tile = block.shared([[0.0; 2]; 64]);
            let mut sum = block.each(0.0);
            for first in 0..n.div_ceil(64) {
                for t in block.threads() {
                    let j = first * 64 + t;
                    tile[t] = if j < n { [x[j], y[j]] } else { [1e9, 1e9] };
                }
                for t in block.threads() {
                    let i = b * 64 + t;
                    if i >= n { continue; }
                    let at = [x[i], y[i]];
                    for k in 0..64 {
                        let (dx, dy) = (tile[k][0] - at[0], tile[k][1] - at[1]);
                        sum += 1.0 / (dx * dx + dy * dy + 0.01).sqrt();
                    }
                }
            }
            for t in block.threads() {
                let i = b * 64 + t;
                if i < n { out[i] = sum; }
            }
        }
    }

    /// A matrix product in rows of threads, some of which fill no lanes.
    fn product(c: &mut [f64], a: &[f64], b: &[f64], n: usize) {
        const TILE: usize = 20;
        for block in par_blocks((0..n / TILE, 0..n / TILE)).threads((TILE, TILE)) {
            let (by, bx) = block.index();
            let mut ta = block.shared([[0.0; TILE]; TILE]);
            let mut tb = block.shared([[0.0; TILE]; TILE]);
            let mut sum = block.each(0.0);
            for k in 0..n / TILE {
                for (y, x) in block.threads() {
                    ta[y][x] = a[(by * TILE + y) * n + k * TILE + x];
                    tb[y][x] = b[(k * TILE + y) * n + bx * TILE + x];
                }
                for (y, x) in block.threads() {
                    for j in 0..TILE { sum += ta[y][j] * tb[j][x]; }
                }
            }
            for (y, x) in block.threads() { c[(by * TILE + y) * n + bx * TILE + x] = sum; }
        }
    }

    /// More iterations than threads, which leave loops and the phase at different times, and values
    /// of threads in parts.
    fn left(out: &mut [i32], x: &[i32], rounds: u32) {
        for block in par_blocks(0..out.len() / 100).threads(40) {
            let b = block.index();
            let mut own = block.each((0i32, [0u32; 3]));
            let mut last = block.shared([0i32; 100]);
            'phase: for i in block.par(0..100) {
                let mut a = x[b * 100 + i] | 1;
                if a < -1500 { continue; }
                own.0 += 1;
                let mut n = 0;
                while a != 1 && n < rounds {
                    n += 1;
                    if a % 7 == 3 { own.1[0] += n; continue; }
                    if a % 23 == 5 { continue 'phase; }
                    a = if a % 2 == 0 { a / 2 } else { a.wrapping_mul(3).wrapping_add(1) };
                    if n > 9 && a % 5 == 1 { own.1[2] ^= n; break; }
                }
                own.1[1] = own.1[1].wrapping_add(n);
                if a != 7 { last[i] = a; }
            }
            for t in block.threads() {
                own.0 = own.0.wrapping_add(own.1[0] as i32).wrapping_mul(own.1[1] as i32 + 1) ^ own.1[2] as i32;
            }
            let all = block.sum(own.0);
            for i in block.par(0..100) { out[b * 100 + i] = last[i].wrapping_add(all); }
        }
    }

    /// User types, functions with loops, arrays that a phase changes and reads, and indexes that go
    /// round.
    fn rings(out: &mut [Point], x: &[f32], rounds: u32) {
        for block in par_blocks(0..out.len() / 48).threads((3, 16)) {
            let b = block.index();
            let mut ring = block.shared([Point { x: 0.0, y: 0.0, seen: [0, 1] }; 48]);
            let mut kept = block.each([0.0f32; 4]);
            let gain = 0.5 + b as f32;
            for (r, t) in block.threads() {
                let at = r * 16 + t;
                let start = decay(x[b * 48 + at], rounds);
                kept[1] = start;
                ring[at].x = start;
            }
            for (r, t) in block.threads() {
                let at = r * 16 + t;
                let mut point = Point { x: 0.0, y: 1.0, seen: [9, 9] };
                for k in 0..rounds as usize {
                    let near = ring[(at + 5 * k + (k & 1)) % 48];
                    point.x += near.x * gain;
                    point.y = point.y * 0.5 + near.y + k as f64;
                    if near.x > kept[1] {
                        point.seen[1] = k as u8;
                        kept[2] += 0.25;
                    }
                }
                out[b * 48 + at] = point;
            }
            for (r, t) in block.threads() {
                let at = b * 48 + r * 16 + t;
                out[at].x += kept[0] + kept[2] + kept[3];
            }
        }
    }

    /// The block has a value that nobody needs if it is skipped. It is computed once, and may fail.
    fn skipped(out: &mut [f32], x: &[f32], first: Scale, second: Scale, skip: bool, rounds: u32) {
        for block in par_blocks(0..out.len() / 32).threads(32) {
            let b = block.index();
            if skip { continue; }
            let scale = first + second;
            for t in block.threads() {
                let mut value = x[b * 32 + t];
                for k in 0..rounds { value = value / scale + k as f32; }
                out[b * 32 + t] = value;
            }
        }
    }

    /// Where a thread has no part in the loop, the number that finds its element has no value.
    fn no_part(out: &mut [f32], x: &[f32], rounds: usize) {
        for block in par_blocks(0..out.len() / 64).threads(64) {
            let b = block.index();
            let mut tile = block.shared([0.0; 64]);
            for t in block.threads() { tile[t] = x[b * 64 + t]; }
            for t in block.threads() {
                if x[b * 64 + t] > 0.3 {
                    let j = (t * 2) / 2 + 8;
                    out[b * 64 + t] = 1.0;
                    let mut sum = 0.0;
                    for k in 0..rounds { sum += tile[j - 8] * k as f32; }
                    out[b * 64 + t] += sum;
                }
            }
        }
    }

    /// The same, at the end of a chain of numbers.
    fn no_part_in_a_chain(out: &mut [f32], x: &[f32], rounds: usize) {
        for block in par_blocks(0..out.len() / 64).threads(64) {
            let first = block.index() * 64;
            let mut tile = block.shared([0.0; 64]);
            for t in block.threads() { tile[t] = x[first + t]; }
            for t in block.threads() {
                if x[first + t] > 0.3 {
                    let a = t + 8;
                    let b = a + 1;
                    let c = b + 1;
                    let d = c + 1;
                    let e = d + 1;
                    let f = e + 1;
                    out[first + t] = 1.0;
                    let mut sum = 0.0;
                    for k in 0..rounds { sum += tile[f - 13] * k as f32; }
                    out[first + t] += sum;
                }
            }
        }
    }

    /// A scan of what a long loop computes.
    fn scanned(out: &mut [u32], x: &[f32], rounds: u32) {
        for block in par_blocks(0..out.len() / 64).threads(64) {
            let b = block.index();
            let mut own = block.each(0);
            for i in block.par(0..64) {
                let mut value = x[b * 64 + i];
                let mut n = 0;
                while n < rounds && value < 0.9 { value = value * 1.25; n += 1; }
                own = n;
            }
            let before = block.exclusive_sum(own);
            for t in block.threads() { out[b * 64 + t] = before; }
        }
    }
}
