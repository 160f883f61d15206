//! The jobs that are timed against hand-written code.

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

/// Two groups with next to nothing to do.
#[kernel]
pub fn tiny_groups(a: &mut [f32], b: &mut [f32]) {
    stream_parallel! {
        'a: { for i in par(0..a.len()) { a[i] += 1.0; } }
        'b: { for i in par(0..b.len()) { b[i] += 1.0; } }
    }
}

crate::kernels::sources! { saxpy, stencil, blur, matmul, all_pairs, tiny_groups }
