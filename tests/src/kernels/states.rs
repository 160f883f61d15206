//! Phases that are apart in every state of their block, as the macro finds by running its program.

use anabranch::prelude::*;

use super::sources;

/// Rotates each 64 elements by 6, one half of an array after the other.
#[kernel]
pub fn ping_pong_by_parity(x: &mut [u32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        let mut s = block.shared([[0u32; 64]; 2]);
        for t in block.threads() {
            s[0][t] = x[b * 64 + t];
        }
        for k in 0..6 {
            for t in block.threads() {
                s[(k + 1) % 2][t] = s[k % 2][(t + 1) % 64];
            }
        }
        for t in block.threads() {
            x[b * 64 + t] = s[0][t];
        }
    }
}

/// The same with a variable for the half that is read, and as many rounds as the launch says.
#[kernel]
pub fn from_and_one_minus_from(x: &mut [u32], rounds: u32) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        let mut s = block.shared([[0u32; 64]; 2]);
        for t in block.threads() {
            s[0][t] = x[b * 64 + t];
        }
        let mut from = 0;
        for _ in 0..rounds {
            for t in block.threads() {
                s[1 - from][t] = s[from][(t + 1) % 64];
            }
            from = 1 - from;
        }
        for t in block.threads() {
            x[b * 64 + t] = s[from][t];
        }
    }
}

/// The permutations of a Fourier transform by Stockham.
#[kernel]
pub fn stockham(x: &mut [u32]) {
    for block in par_blocks(0..x.len() / 64).threads(32) {
        let b = block.index();
        let mut p = block.shared([0u32; 64]);
        let mut q = block.shared([0u32; 64]);
        for t in block.par(0..64) {
            p[t] = x[b * 64 + t];
        }
        let mut s = 1;
        while s < 64 {
            for k in block.threads() {
                let (i, j) = (k / s, k % s);
                q[i * 2 * s + j] = p[k];
                q[i * 2 * s + j + s] = p[k + 32];
            }
            for t in block.par(0..64) {
                p[t] = q[t];
            }
            s *= 2;
        }
        for t in block.par(0..64) {
            x[b * 64 + t] = p[t];
        }
    }
}

/// A Walsh–Hadamard transform in place.
#[kernel]
pub fn butterflies_in_place(x: &mut [u32]) {
    for block in par_blocks(0..x.len() / 64).threads(32) {
        let b = block.index();
        let mut p = block.shared([0u32; 64]);
        for t in block.par(0..64) {
            p[t] = x[b * 64 + t];
        }
        for r in 0..6 {
            let s = 1 << r;
            for k in block.threads() {
                let at = k / s * 2 * s + k % s;
                let (u, v) = (p[at], p[at + s]);
                p[at] = u + v;
                p[at + s] = u - v;
            }
        }
        for t in block.par(0..64) {
            x[b * 64 + t] = p[t];
        }
    }
}

/// A sum whose strides double.
#[kernel]
pub fn doubling_strides(x: &mut [u32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        let mut p = block.shared([0u32; 64]);
        for t in block.threads() {
            p[t] = x[b * 64 + t];
        }
        let mut s = 1;
        while s < 64 {
            for t in block.par(0..64 / (2 * s)) {
                p[t * 2 * s] += p[t * 2 * s + s];
            }
            s *= 2;
        }
        for t in block.threads() {
            if t == 0 {
                x[b * 64] = p[0];
            }
        }
    }
}

/// Elimination with numbers that wrap: `a` becomes what the rows below a pivot are multiplied by,
/// and what is left above.
#[kernel]
pub fn elimination(x: &mut [u32]) {
    const N: usize = 16;
    for block in par_blocks(0..x.len() / 256).threads(16) {
        let b = block.index();
        let mut a = block.shared([[0u32; N]; N]);
        for (i, j) in block.par((0..N, 0..N)) {
            a[i][j] = x[b * 256 + i * 16 + j];
        }
        for k in 0..N {
            for i in block.par(k + 1..N) {
                let f = a[i][k] * a[k][k];
                a[i][k] = f;
                for j in k + 1..N {
                    a[i][j] -= f * a[k][j];
                }
            }
        }
        for (i, j) in block.par((0..N, 0..N)) {
            x[b * 256 + i * 16 + j] = a[i][j];
        }
    }
}

sources! { ping_pong_by_parity, from_and_one_minus_from, stockham, butterflies_in_place, doubling_strides, elimination }
