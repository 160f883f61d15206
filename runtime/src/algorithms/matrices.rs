//! Transposition and product of matrices.

use crate::launch::refusal::require;
use crate::{DeviceCopy, Grid, Num, kernel};

/// `to` becomes the transposition of `from`: `to[[x, y]] = from[[y, x]]`.
///
/// `from` has the shape `[h, w]` and `to` the shape `[w, h]`, each of them maybe 0. Both can be
/// parts of grids.
///
/// A block of 256 threads moves a tile of 32 times 32 elements through shared memory, so that both
/// sides are accessed by rows. An element has up to 44 bytes.
///
/// # Panics
/// If the shapes do not fit.
#[track_caller]
#[kernel(crate = crate)]
pub fn transpose<T: DeviceCopy>(from: &Grid<T, 2>, to: &mut Grid<T, 2>) {
    let [h, w] = from.shape();
    require(to.shape() == [w, h], || {
        format!("`transpose`: the transposition has the shape {:?}, but `to` has {:?}", [w, h], to.shape())
    });
    for block in par_blocks((0..h.div_ceil(32), 0..w.div_ceil(32))).threads(256) {
        let (by, bx) = block.index();
        let mut tile = block.shared([[from[[by * 32, bx * 32]]; 33]; 32]);
        for (y, x) in block.par((0..32, 0..32)) {
            if by * 32 + y < h && bx * 32 + x < w {
                tile[y][x] = from[[by * 32 + y, bx * 32 + x]];
            }
        }
        for (x, y) in block.par((0..32, 0..32)) {
            if by * 32 + y < h && bx * 32 + x < w {
                to[[bx * 32 + x, by * 32 + y]] = tile[y][x];
            }
        }
    }
}

/// `c = a * b`, of numbers of one type. Integers wrap.
///
/// `a` has the shape `[m, k]`, `b` the shape `[k, n]`, and `c` the shape `[m, n]`, each of them
/// maybe 0. All can be parts of grids. What is in `c` before does not matter; if `k` is 0, `c`
/// becomes zeros.
///
/// Each element is the sum of its products in ascending order, from zero. A block of 128 threads
/// makes a tile of 64 times 64 elements, and each thread 8 times 4 of them, in registers. Tiles of
/// `a` and `b` with 16 columns and rows go through shared memory, while the next ones are on their
/// way.
///
/// # Panics
/// If the shapes do not fit.
#[track_caller]
#[kernel(crate = crate)]
pub fn matmul<T: Num>(a: &Grid<T, 2>, b: &Grid<T, 2>, c: &mut Grid<T, 2>) {
    let ([m, k], [h, n]) = (a.shape(), b.shape());
    require(k == h, || format!("`matmul`: `a` has {k} columns, but `b` has {h} rows"));
    require(c.shape() == [m, n], || {
        format!("`matmul`: the product has the shape {:?}, but `c` has {:?}", [m, n], c.shape())
    });
    let rounds = k.div_ceil(16);
    for block in par_blocks((0..m.div_ceil(64), 0..n.div_ceil(64))).threads((8, 16)) {
        let (by, bx) = block.index();
        // Columns of `a` and rows of `b`. What is more than 64 keeps threads that write apart in
        // their banks.
        let mut ta = block.shared([[T::ZERO; 68]; 16]);
        let mut tb = block.shared([[T::ZERO; 80]; 16]);
        let mut next_a = block.each([T::ZERO; 8]);
        let mut next_b = block.each([T::ZERO; 8]);
        let mut sums = block.each([[T::ZERO; 4]; 8]);
        let whole = by * 64 + 64 <= m && bx * 64 + 64 <= n;
        for round in 0..rounds + 1 {
            if round > 0 {
                for (y, x) in block.threads() {
                    for i in 0..8 {
                        ta[x][y + 8 * i] = next_a[i];
                    }
                    for i in 0..4 {
                        for j in 0..2 {
                            tb[y + 8 * j][x + 16 * i] = next_b[i + 4 * j];
                        }
                    }
                }
            }
            // What the next round needs is on its way while this one computes.
            if whole && round * 16 + 16 <= k {
                for (y, x) in block.threads() {
                    for i in 0..8 {
                        next_a[i] = a[[by * 64 + y + 8 * i, round * 16 + x]];
                    }
                    for i in 0..4 {
                        next_b[i] = b[[round * 16 + y, bx * 64 + x + 16 * i]];
                        next_b[i + 4] = b[[round * 16 + y + 8, bx * 64 + x + 16 * i]];
                    }
                }
            } else if round < rounds {
                for (y, x) in block.threads() {
                    for i in 0..8 {
                        let (row, column) = (by * 64 + y + 8 * i, round * 16 + x);
                        next_a[i] = if row < m && column < k { a[[row, column]] } else { T::ZERO };
                        let (row, column) = (round * 16 + y + i / 4 * 8, bx * 64 + x + i % 4 * 16);
                        next_b[i] = if row < k && column < n { b[[row, column]] } else { T::ZERO };
                    }
                }
            }
            if round > 0 {
                for (y, x) in block.threads() {
                    for j in 0..16 {
                        for u in 0..8 {
                            for v in 0..4 {
                                sums[u][v] += ta[j][y * 8 + u] * tb[j][x * 4 + v];
                            }
                        }
                    }
                }
            }
        }
        for (y, x) in block.threads() {
            for u in 0..8 {
                for v in 0..4 {
                    if by * 64 + y * 8 + u < m && bx * 64 + x * 4 + v < n {
                        c[[by * 64 + y * 8 + u, bx * 64 + x * 4 + v]] = sums[u][v];
                    }
                }
            }
        }
    }
}
