//! Indexes that move along a row, some of them out of bounds, some only formally.

use anabranch::prelude::*;

/// Reads with an offset that may wrap below zero, and writes; a guard may keep the bad ones away.
#[kernel]
pub fn shifted(out: &mut [u32], x: &[u32], h: usize, w: usize, offset: usize, from: usize) {
    for (row, col) in par((0..h, 0..w)) {
        let i = row * w + col;
        if col >= from {
            out[i] = x[i + offset] + 1;
        }
    }
}

/// One index for a whole row, and a compound assignment.
#[kernel]
pub fn row_sums(sums: &mut [u32], x: &[u32], w: usize, column: usize) {
    for row in par(0..sums.len()) {
        for col in 0..w {
            sums[row] += x[row * w + col] * x[column];
        }
    }
}

crate::kernels::sources! { shifted, row_sums }
