//! Structs of slices.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use anabranch::prelude::*;

use super::Source;

/// Slices and values.
#[device]
#[derive(Debug)]
pub struct Planes<'a> {
    /// Written.
    pub red: &'a mut [f32],
    /// Written.
    pub green: &'a mut [f32],
    /// Read.
    pub mask: &'a [u8],
    /// A value.
    pub by: f32,
}

/// All other kinds of fields.
#[device]
pub struct Image<'a, T: Scalar, const N: usize> {
    /// A struct of slices.
    pub planes: Planes<'a>,
    /// A grid.
    pub pixels: &'a mut Grid<T, 2>,
    /// A grid of three dimensions that is read.
    pub volume: &'a Grid<u32, 3>,
    /// Atomics.
    pub counts: &'a [AtomicU32],
    /// An array.
    pub table: [T; N],
    /// A slice of buffers, as it is on the host.
    pub sums: SliceMut<'a, T>,
    /// In no program.
    #[cfg(any())]
    pub none: Missing<'a>,
    /// In each.
    #[cfg(not(any()))]
    r#type: usize,
}

impl<'a, T: Scalar, const N: usize> Image<'a, T, N> {
    /// A field that others do not see.
    #[allow(clippy::too_many_arguments, reason = "there is one for each field")]
    pub fn new(
        planes: Planes<'a>,
        pixels: &'a mut Buffer<T, 2>,
        volume: &'a Buffer<u32, 3>,
        counts: &'a mut Buffer<u32>,
        table: [T; N],
        sums: &'a mut Buffer<T>,
        by: usize,
    ) -> Self {
        Self {
            planes,
            pixels: pixels.into(),
            volume: volume.into(),
            counts: counts.into(),
            table,
            sums: sums.into(),
            r#type: by,
        }
    }
}

/// Fields in loops, lengths, values, and in groups.
#[kernel]
pub fn blended(p: Planes<'_>, n: usize) {
    assert!(p.red.len() >= n && p.green.len() >= n, "{} of {}", n, p.green.len());
    for i in par(0..n) {
        if p.mask[i] > 0 && (0.0..=p.by).contains(&p.by) {
            p.red[i] = p.red[i] * p.by + p.green[i];
        }
    }
    stream_parallel! {
        'red: {
            for i in par(0..p.red.len()) { p.red[i] += p.mask[i] as f32 * p.by; }
        }
        'green: {
            let (head, rest) = p.green.split_at_mut(n / 2);
            for i in par(0..head.len()) { head[i] -= 1.0; }
            for i in par(0..rest.len()) { rest[i] -= p.mask[i] as f32; }
        }
    }
}

/// Adds to one slice.
#[kernel]
pub fn raised(x: &mut [f32], by: f32) {
    for i in par(0..x.len()) {
        x[i] += by;
    }
}

/// Adds to one field, and takes from another.
#[kernel]
pub fn moved(p: Planes<'_>, by: f32) {
    for i in par(0..p.red.len()) {
        p.red[i] += by;
        p.green[i] -= by * p.by;
    }
}

/// Lends one field, a part of one, and all of them, also in groups; swaps and renames.
#[kernel]
pub fn lent(p: Planes<'_>, other: &mut [f32]) {
    raised(&mut p.red, p.by);
    raised(&mut p.green[1..], p.green.len() as f32);
    for round in 0..3 {
        moved(&mut p, p.red.len() as f32 + p.by + round as f32);
        std::mem::swap(&mut p.red, &mut p.green);
        if round == 1 {
            raised(&mut p.red, 0.25);
            (p.red, p.green) = (p.green, p.red);
        }
    }
    stream_parallel! {
        {
            raised(&mut p.green, 3.0);
            moved(&mut p, 1.0);
            stream_parallel! {
                { raised(&mut p.red, 0.5); }
                { for i in par(0..p.green.len()) { p.green[i] *= 2.0; } }
            }
        }
        {
            for i in par(0..p.red.len()) { other[i] += p.by; }
        }
    }
    let red = &p.red;
    let green = &mut p.green;
    for i in par(0..red.len()) {
        green[i] += red[i] + other[i];
    }
    moved(&mut p, 0.125);
}

/// Nested, generic, grids, atomics, arrays, phases, reductions.
#[kernel]
pub fn drawn<T: Scalar + Num, const N: usize>(image: Image<'_, T, N>) {
    let (table, by) = (image.table, image.r#type);
    let [rows, columns] = image.pixels.shape();
    for (y, x) in par((0..rows, 0..columns)) {
        image.pixels[[y, x]] = image.pixels[[y, x]] * table[(y + x) % N];
        image.counts[x % 2].fetch_add(image.volume[[0, y % 2, x % 2]] + by as u32, Relaxed);
    }
    image.sums[0] += par(0..columns).map(|x| image.pixels[[1, x]]).sum();
    let (top, bottom) = image.pixels.split_dim_at_mut(0, 1);
    stream_parallel! {
        {
            moved(&mut image.planes, 2.0);
            for i in par(0..image.planes.red.len()) { image.planes.red[i] *= image.planes.by; }
        }
        { for (y, x) in par((0..1, 0..columns)) { top[[y, x]] = bottom[[0, x]]; } }
    }
    for block in par_blocks(0..1).threads(4) {
        let mut all = block.shared([T::ZERO; 4]);
        for t in block.threads() {
            all[t] = image.sums[0] + image.pixels[[0, t]];
        }
        for t in block.threads() {
            image.sums[1 + t] = all[3 - t];
        }
    }
    stream_parallel! {
        { again(&mut image, 1); moved(&mut image.planes, 1.0); }
    }
    again(&mut image, 2);
}

/// The same struct in another kernel.
#[kernel]
pub fn again<T: Scalar + Num, const N: usize>(image: Image<'_, T, N>, k: usize) {
    let table = image.table;
    for i in par(0..image.sums.len()) {
        image.sums[i] = image.sums[i] * table[k % N];
    }
    moved(&mut image.planes, 4.0);
}

/// Values with a lifetime that are not structs of slices.
#[kernel]
pub fn told(x: &mut [f32], name: std::borrow::Cow<'_, str>, values: std::slice::Iter<'_, f32>) {
    let (len, by) = (name.len(), values.as_slice()[0]);
    for i in par(0..x.len()) {
        x[i] = by + len as f32;
    }
}

/// Two of one type, of which one has too few elements.
#[kernel]
pub fn copied(from: Planes<'_>, to: Planes<'_>) {
    for i in par(0..from.red.len()) {
        to.green[i] = from.red[i];
    }
}

/// Races if the mask is not a permutation.
#[kernel]
pub fn strided(p: Planes<'_>, step: usize) {
    for i in par(0..p.mask.len()) {
        p.red[i * step] = p.green[i];
    }
}

/// The kernels of this file.
pub const SOURCES: &[Source] = &[
    source!("blended", blended),
    source!("raised", raised),
    source!("moved", moved),
    source!("lent", lent),
    source!("drawn", drawn, f64, 3),
    source!("again", again, f64, 3),
    source!("told", told),
    source!("copied", copied),
    source!("strided", strided),
];
