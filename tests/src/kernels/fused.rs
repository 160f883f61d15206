//! Adjacent loops that may be one: each kernel with `fuse = true`, and without it.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use anabranch::prelude::*;

use super::Source;
use super::slices::Planes;

/// Never fails, as what it calls.
#[device]
fn scaled(v: f32, by: f32) -> f32 {
    if v < 0.0 { halves(v) } else { v * by + 0.5 }
}

#[device]
fn halves(mut v: f32) -> f32 {
    while v < -1.0 {
        v = v / 2.0;
    }
    v / (v * v + 1.0)
}

/// Calls what fails if it divides by 0.
#[device]
fn divided(v: u32, by: u32) -> u32 {
    quotient(v, by) + 1
}

#[device]
fn quotient<T: Num>(v: T, by: T) -> T {
    v / by
}

#[device]
fn halve(v: &mut f32) {
    *v *= 0.5;
}

macro_rules! both {
    ($($kernel:item)*) => {
        /// One kernel where the launch can show that it means the same.
        pub mod fused {
            use super::*;
            $(#[kernel(fuse = true)] $kernel)*
        }
        /// One loop after another.
        pub mod apart {
            use super::*;
            $(#[kernel(fuse = false)] $kernel)*
        }
    };
}

both! {
    /// AdamW, as it is written in papers.
    pub fn adam(p: &mut [f32], m: &mut [f32], v: &mut [f32], g: &[f32], rate: f32, c: [f32; 2]) {
        for i in par(0..p.len()) { p[i] *= 1.0 - rate * 0.01; }
        for i in par(0..m.len()) { m[i] = 0.9 * m[i] + 0.1 * g[i]; }
        for i in par(0..v.len()) { v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i]; }
        for i in par(0..p.len()) { p[i] -= rate * (m[i] / c[0]) / ((v[i] / c[1]).sqrt() + 1e-8); }
    }

    /// What ends an iteration ends one of the loops, and a name ends with its loop.
    pub fn image(x: &mut [f32], n: usize, gain: f32) {
        for n in par(0..n) { x[n] = scaled(x[n], gain); }
        'pixels: for j in par(0..n) {
            for k in 0..4 {
                if x[j] < k as f32 { continue 'pixels; }
                if x[j] > 3.5 { continue; }
                x[j] -= 0.25;
            }
            if x[j] < 0.0 { continue; }
            x[j] *= x[j];
        }
        for _ in par(0..n) {}
        for i in par(0..n) { x[i] = x[i].clamp(-1.0, 2.0) * n as f32; }
    }

    /// The other loop reads what another iteration has written, unless `s` is `t`.
    pub fn strided(x: &mut [u32], y: &mut [u32], n: usize, s: usize, t: usize) {
        for i in par(0..n) { x[i * s] = x[i * s] * 3 + 1; }
        for i in par(0..n) { y[i] += x[i * t]; }
    }

    /// The ranges may differ.
    pub fn lengths(x: &mut [u32], y: &mut [u32]) {
        for i in par(0..x.len()) { x[i] += 1; }
        for i in par(0..y.len()) { y[i] += 2; }
    }

    /// Integers by what may be 0.
    pub fn quotients<T: Num>(x: &mut [T], y: &mut [T], by: T) {
        for i in par(0..x.len()) { x[i] = x[i] / by; }
        for i in par(0..x.len()) { y[i] = y[i] + x[i]; }
    }

    /// A function that can fail.
    pub fn divisions(x: &mut [u32], y: &mut [u32], by: u32) {
        for i in par(0..x.len()) { x[i] = divided(x[i], by); }
        for i in par(0..x.len()) { y[i] += x[i]; }
    }

    /// Two dimensions, and a row of its own for each.
    pub fn cells(a: &mut Grid<f32, 2>, b: &mut Grid<f32, 2>, by: f32) {
        let [h, w] = a.shape();
        for (y, x) in par((0..h, 0..w)) { a[[y, x]] += by; }
        for (i, j) in par((0..h, 0..w)) { b[[i, j]] = a[[i, j]] * 2.0; }
        for (y, x) in par((0..h, 0..w)) { a[[y, x]] -= b[[y, x]]; }
    }

    /// A jump in the head of an inner loop, and a variable that is not used.
    pub fn jumps(x: &mut [u32], n: usize) {
        for i in par(0..n) { for k in 0..(if x[i] % 3 == 0 { continue } else { 2 }) { x[i] += k; } }
        for i in par(0..n) {}
        for i in par(0..n) { x[i] += 1000; }
    }

    /// In groups, with fields, and through parts and names that end between loops.
    pub fn groups(p: Planes<'_>, x: &mut [u32], z: &mut [u32], n: usize) {
        stream_parallel! {
            'planes: {
                for i in par(0..n) { p.red[i] += p.by; }
                for i in par(0..n) { p.green[i] *= p.red[i]; }
            }
            'parts: {
                let (low, high) = x.split_at_mut(n / 2);
                for i in par(0..low.len()) { low[i] += 1; }
                for i in par(0..low.len()) { high[i] += low[i]; }
                let seen = &x;
                for i in par(0..n) { z[i] += seen[i]; }
                for i in par(0..n) { x[i] += z[i]; }
            }
        }
    }

    /// What is exchanged with all iterations.
    pub fn counted(x: &[u32], counts: &[AtomicU32], most: &mut [u32]) {
        for i in par(0..x.len()) { counts[x[i] as usize % 4].fetch_add(1, Relaxed); }
        for i in par(0..x.len()) { most[i] = counts[x[i] as usize % 4].load(Relaxed); }
    }

    /// Loops in front of reductions. The ranges of the first ones may differ, and the closure of
    /// the last one reads what other iterations have written.
    pub fn reduced(x: &mut [f32], y: &mut [f32], totals: &mut [f32], n: usize) {
        for i in par(0..x.len()) { y[i] = x[i] * 0.5 + y[i]; }
        totals[0] += par(0..y.len()).map(|j| y[j] * 0.5).sum();
        for i in par(0..n) { x[i] += 1.0; }
        for j in par(0..n) { if x[j] < 2.0 { continue; } y[j] = scaled(x[j], 0.25); }
        totals[1] = par(0..n).map(|_| 1.0f32).sum();
        for i in par(0..totals.len()) { totals[i] += 0.5; }
        totals[2] = par(0..totals.len()).map(|i| totals[i]).max();
        for i in par(0..totals.len()) { totals[i] += 0.5; }
        totals[3] = par(0..totals.len()).map(|i| totals[i] + totals[4 - i]).max();
    }

    /// Reductions with functions, with places, and of booleans. One that divides can fail.
    pub fn chosen(x: &mut [u32], found: &mut [usize], most: &mut [u32], n: usize, by: u32) {
        stream_parallel! {
            {
                for i in par(0..n) { x[i] = x[i].wrapping_mul(2654435769) >> 16; }
                found[0] = par(0..n).map(|i| x[i]).argmax();
                for i in par(0..n) { x[i] += 1; }
                most[0] = par(0..n).map(|i| x[i]).reduce(0, |a, b| if a > b { a } else { b });
                for i in par(0..n) { x[i] ^= 5; }
                most[1] = par(0..n).map(|i| x[i] / by).min();
                for i in par(0..n) { x[i] += 2; }
                found[1] = par(0..n).map(|i| x[i] % 2 == 0).count();
            }
        }
    }

    /// The CPU runs the first loop in lanes, and would not run both in lanes.
    pub fn lanes(x: &mut [f32], y: &mut [f32], n: usize) {
        for i in par(0..n) {
            let mut sum = x[i];
            for k in 0..100 { sum = sum * 0.99 + k as f32; }
            x[i] = sum;
        }
        for i in par(0..n) {
            let mut half = y[i] + x[i];
            halve(&mut half);
            y[i] = half;
        }
    }

    /// The elements of the launch are written and read by one iteration.
    pub fn through(x: &[f32], y: &mut [f32], f: impl Fn(f32) -> f32) {
        let mut a = scratch::<f32>(x.len());
        let mut b = scratch::<f32>(x.len());
        for i in par(0..x.len()) { a[i] = f(x[i]); }
        for i in par(0..x.len()) { b[i] = a[i] + 1.0; }
        std::mem::swap(&mut a, &mut b);
        for i in par(0..x.len()) { y[i] = a[i] * b[i]; }
        for i in par(0..x.len()) { y[i] -= 0.5; }
    }
}

/// The kernels of this file, as one loop and apart.
pub const SOURCES: &[Source] = &[
    source!("fused_adam", fused::adam),
    source!("fused_image", fused::image),
    source!("fused_strided", fused::strided),
    source!("fused_lengths", fused::lengths),
    source!("fused_quotients", fused::quotients, f32),
    source!("fused_quotients_u32", fused::quotients, u32),
    source!("fused_divisions", fused::divisions),
    source!("fused_cells", fused::cells),
    source!("fused_groups", fused::groups),
    source!("fused_counted", fused::counted),
    source!("fused_lanes", fused::lanes),
    source!("fused_jumps", fused::jumps),
    source!("fused_reduced", fused::reduced),
    source!("fused_chosen", fused::chosen),
];
