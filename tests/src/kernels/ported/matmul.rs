//! A matrix product of any number type, several results a thread.

use anabranch::prelude::*;

/// `c = a b` of row-major matrices, `a` with `inner` columns, `b` and `c` with `width`. A thread
/// computes `TILE` neighbours in a row of `c`, for which it reads each element of `a` once. Loops
/// of constant length let the sums stay in registers; what stands beyond the last column is
/// computed and not written.
#[kernel]
pub fn matmul<T: Num, const TILE: usize>(a: &[T], b: &[T], c: &mut [T], inner: usize, width: usize) {
    let height = a.len() / inner;
    for (y, tile) in par((0..height, 0..width.div_ceil(TILE))) {
        let left = tile * TILE;
        let mut sums = [T::ZERO; TILE];
        for k in 0..inner {
            let factor = a[y * inner + k];
            for x in 0..TILE {
                sums[x] += factor * b[k * width + (left + x).min(width - 1)];
            }
        }
        for x in 0..TILE {
            if left + x < width {
                c[y * width + left + x] = sums[x];
            }
        }
    }
}
