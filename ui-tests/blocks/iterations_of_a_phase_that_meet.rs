// Look-alikes of right programs, in which iterations of a phase meet in some state of the block.
use anabranch::prelude::*;

#[kernel]
fn both_in_one_half(x: &mut [u32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let mut s = block.shared([[0u32; 64]; 2]);
        for k in 0..6 {
            for t in block.threads() {
                s[k % 2][t] = s[k % 2][(t + 1) % 64];
            }
        }
        x[block.index()] = s[0][0];
    }
}

#[kernel]
fn from_where_it_is_written(x: &mut [u32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let mut s = block.shared([[0u32; 64]; 2]);
        let mut from = 0;
        for _ in 0..6 {
            for t in block.threads() {
                s[1 - from][t] = s[1 - from][(t + 1) % 64];
            }
            from = 1 - from;
        }
        x[block.index()] = s[from][0];
    }
}

#[kernel]
fn stockham_without_a_factor(x: &mut [u32]) {
    for block in par_blocks(0..x.len() / 64).threads(32) {
        let mut p = block.shared([0u32; 64]);
        let mut q = block.shared([0u32; 64]);
        let mut s = 1;
        while s < 64 {
            for k in block.threads() {
                let (i, j) = (k / s, k % s);
                q[i * s + j] = p[k];
                q[i * s + j + s] = p[k + 32];
            }
            for t in block.par(0..64) {
                p[t] = q[t];
            }
            s *= 2;
        }
        x[block.index()] = p[0];
    }
}

#[kernel]
fn butterflies_that_overlap(x: &mut [u32]) {
    for block in par_blocks(0..x.len() / 64).threads(32) {
        let mut p = block.shared([0u32; 64]);
        for r in 0..6 {
            let s = 1 << r;
            for k in block.threads() {
                let at = k / s * s + k % s;
                p[at] += p[at + s];
            }
        }
        x[block.index()] = p[0];
    }
}

#[kernel]
fn strides_that_are_too_small(x: &mut [u32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let mut p = block.shared([0u32; 64]);
        let mut s = 1;
        while s < 64 {
            for t in block.par(0..64 / (2 * s)) {
                p[t * 2 * s] += p[t * 2 * s + 2 * s];
            }
            s *= 2;
        }
        x[block.index()] = p[0];
    }
}

#[kernel]
fn elimination_of_the_pivot(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(16) {
        let mut a = block.shared([[1.0f32; 16]; 16]);
        for k in 0..16 {
            for i in block.par(k..16) {
                let f = a[i][k] / a[k][k];
                for j in k..16 {
                    a[i][j] -= f * a[k][j];
                }
            }
        }
        x[block.index()] = a[0][0];
    }
}

fn main() {}
