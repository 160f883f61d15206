//! A matrix product of any number type, several results a thread.

use anabranch::prelude::*;

/// `c = a b` of row-major matrices, `a` with `inner` columns, `b` and `c` with `width`. A thread computes `TILE` neighbours in a
/// row of `c`, for which it reads each element of `a` once.
#[kernel]
pub fn matmul<T: Num, const TILE: usize>(a: &[T], b: &[T], c: &mut [T], inner: usize, width: usize) {
    let height = a.len() / inner;
    for (y, tile) in par((0..height, 0..width.div_ceil(TILE))) {
        let left = tile * TILE;
        let columns = TILE.min(width - left);
        let mut sums = [T::ZERO; TILE];
        for k in 0..inner {
            let factor = a[y * inner + k];
            for x in 0..columns {
                sums[x] += factor * b[k * width + left + x];
            }
        }
        for x in 0..columns {
            c[y * width + left + x] = sums[x];
        }
    }
}
