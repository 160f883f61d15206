//! The jobs that are timed against hand-written code.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use anabranch::prelude::*;

/// `y = a x + y`.
#[kernel]
pub fn saxpy(y: &mut [f32], x: &[f32], a: f32) {
    for i in par(0..y.len()) {
        y[i] += a * x[i];
    }
}

/// The mean of the four neighbours, inside of a plane.
#[kernel]
pub fn stencil(b: &mut [f32], a: &[f32], w: usize, h: usize) {
    for (y, x) in par((1..h - 1, 1..w - 1)) {
        let i = y * w + x;
        b[i] = 0.25 * (a[i - 1] + a[i + 1] + a[i - w] + a[i + w]);
    }
}

/// A weighted window along the rows of a plane, edges clamped.
#[kernel]
pub fn blur(out: &mut [f32], plane: &[f32], weights: &[f32], w: usize, h: usize) {
    let taps = weights.len();
    let radius = taps / 2;
    for (y, x) in par((0..h, 0..w)) {
        let mut sum = 0.0;
        for k in 0..taps {
            let q = (x + k).saturating_sub(radius).min(w - 1);
            sum += weights[k] * plane[y * w + q];
        }
        out[y * w + x] = sum;
    }
}

/// The mean of 3 times 3 elements, inside of a plane, by tiles with what is around them.
#[kernel]
pub fn mean_by_tiles(b: &mut [f32], a: &[f32], w: usize, h: usize) {
    for block in par_blocks((0..(h - 2).div_ceil(32), 0..(w - 2).div_ceil(32))).threads(256) {
        let (by, bx) = block.index();
        let mut tile = block.shared([[0.0; 34]; 34]);
        for (y, x) in block.par((0..34, 0..34)) {
            if by * 32 + y < h && bx * 32 + x < w {
                tile[y][x] = a[(by * 32 + y) * w + bx * 32 + x];
            }
        }
        for (y, x) in block.par((0..32, 0..32)) {
            if by * 32 + y < h - 2 && bx * 32 + x < w - 2 {
                let mut sum = 0.0;
                for i in 0..3 {
                    for j in 0..3 {
                        sum += tile[y + i][x + j];
                    }
                }
                b[(by * 32 + y + 1) * w + bx * 32 + x + 1] = sum * (1.0 / 9.0);
            }
        }
    }
}

/// A matrix product, one element an iteration.
#[kernel]
pub fn matmul(c: &mut [f32], a: &[f32], b: &[f32], inner: usize, w: usize) {
    for (y, x) in par((0..c.len() / w, 0..w)) {
        let mut sum = 0.0;
        for k in 0..inner {
            sum += a[y * inner + k] * b[k * w + x];
        }
        c[y * w + x] = sum;
    }
}

/// For each point the sum of softened inverse distances to all points.
#[kernel]
pub fn all_pairs(out: &mut [f32], px: &[f32], py: &[f32], pz: &[f32]) {
    for i in par(0..out.len()) {
        let x = px[i];
        let y = py[i];
        let z = pz[i];
        let mut sum = 0.0;
        for j in 0..px.len() {
            let dx = px[j] - x;
            let dy = py[j] - y;
            let dz = pz[j] - z;
            sum += 1.0 / (dx * dx + dy * dy + dz * dz + 1e-3).sqrt();
        }
        out[i] = sum;
    }
}

/// A step of the heat equation, inside of a plane.
#[kernel]
pub fn heat(to: &mut Grid<f32, 2>, from: &Grid<f32, 2>, c: f32) {
    let [h, w] = to.shape();
    for (y, x) in par((1..h - 1, 1..w - 1)) {
        let around = from[[y - 1, x]] + from[[y + 1, x]] + from[[y, x - 1]] + from[[y, x + 1]];
        to[[y, x]] = from[[y, x]] + c * (around - 4.0 * from[[y, x]]);
    }
}

/// Running sums in blocks: the sum of each, then in each the sum of those before it and of its own
/// elements.
#[kernel]
pub fn scan(out: &mut [u32], x: &[u32], sums: &mut [u32]) {
    let (n, blocks) = (x.len(), sums.len());
    let size = n.div_ceil(blocks);
    for b in par(0..blocks) {
        let mut sum = 0;
        for i in b * size..((b + 1) * size).min(n) {
            sum += x[i];
        }
        sums[b] = sum;
    }
    for b in par(0..blocks) {
        let mut sum = 0;
        for k in 0..b {
            sum += sums[k];
        }
        for i in b * size..((b + 1) * size).min(n) {
            sum += x[i];
            out[i] = sum;
        }
    }
}

/// The sum of all elements.
#[kernel]
pub fn total<T: Num>(total: &mut [T], x: &[T]) {
    total[0] = par(0..x.len()).map(|i| x[i]).sum();
}

/// The sums up to each element.
#[kernel]
pub fn sums_up_to<T: Num>(out: &mut [T], x: &[T]) {
    for (i, sum) in par(0..x.len()).inclusive_sum(|i| x[i]) {
        out[i] = sum;
    }
}

/// How often each byte occurs: a row of counts for each block, then the sums of the columns.
#[kernel]
pub fn histogram(counts: &mut [u32], parts: &mut [u32], x: &[u8]) {
    let (n, bins) = (x.len(), counts.len());
    let blocks = parts.len() / bins;
    let size = n.div_ceil(blocks);
    for b in par(0..blocks) {
        let row = &mut parts[b * bins..(b + 1) * bins];
        for bin in 0..bins {
            row[bin] = 0;
        }
        for i in b * size..((b + 1) * size).min(n) {
            row[x[i] as usize] += 1;
        }
    }
    for bin in par(0..bins) {
        let mut sum = 0;
        for b in 0..blocks {
            sum += parts[b * bins + bin];
        }
        counts[bin] = sum;
    }
}

/// [`histogram`] with atomics.
#[kernel]
pub fn atomic_histogram(counts: &[AtomicU32], x: &[u8]) {
    for i in par(0..x.len()) {
        counts[x[i] as usize].fetch_add(1, Relaxed);
    }
}

/// Two groups with next to nothing to do.
#[kernel]
pub fn tiny_groups(a: &mut [f32], b: &mut [f32]) {
    stream_parallel! {
        'a: { for i in par(0..a.len()) { a[i] += 1.0; } }
        'b: { for i in par(0..b.len()) { b[i] += 1.0; } }
    }
}

crate::kernels::sources! {
    saxpy, stencil, blur, mean_by_tiles, matmul, all_pairs, heat, scan, total::<f32>, sums_up_to::<u32>, histogram, atomic_histogram, tiny_groups
}
