//! Transposition and products of matrices.

use crate::launch::refusal::require;
use crate::{DeviceCopy, Grid, Num, closure, kernel};

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
    check("matmul", a.shape(), b.shape(), c.shape());
    matmul_with(&a, &b, &mut c, closure!(|sum: T, _: usize, _: usize| sum));
}

/// The products of a batch of matrices, in one launch: `c[i] = a[i] * b[i]` for each `i`. Other
/// libraries call it a strided batched GEMM, or `bmm`.
///
/// `a` has the shape `[batch, m, k]`, `b` the shape `[batch, k, n]`, and `c` the shape
/// `[batch, m, n]`, each of them maybe 0. If `a` or `b` has one matrix, all products use it. All
/// can be parts of grids. What [`matmul`] says of elements and their sums holds here, too.
///
/// ```
/// use anabranch::algorithms::matmul_batched;
/// use anabranch::prelude::*;
///
/// let device = Device::cpu();
/// let rows = device.grid_from(&[1.0f32, 2.0, 3.0, 4.0], [2, 1, 2])?; // two matrices with one row
/// let weights = device.grid_from(&[1.0f32, 10.0], [1, 2, 1])?;       // for both
/// let mut c = device.grid_zeros([2, 1, 1])?;
/// matmul_batched(&device.default_stream(), &rows, &weights, &mut c)?;
/// assert_eq!(c.to_vec()?, [21.0, 43.0]);
/// # Ok::<(), anabranch::Error>(())
/// ```
///
/// # Panics
/// If the shapes do not fit.
#[track_caller]
#[kernel(crate = crate)]
pub fn matmul_batched<T: Num>(a: &Grid<T, 3>, b: &Grid<T, 3>, c: &mut Grid<T, 3>) {
    check("matmul_batched", a.shape(), b.shape(), c.shape());
    matmul_batched_with(&a, &b, &mut c, closure!(|sum: T, _: usize, _: usize, _: usize| sum));
}

/// The shapes of matrices, or of batches of them, fit.
#[track_caller]
fn check<const D: usize>(kernel: &str, a: [usize; D], b: [usize; D], c: [usize; D]) {
    let [m, k, h, n] = [a[D - 2], a[D - 1], b[D - 2], b[D - 1]];
    require(k == h, || format!("`{kernel}`: `a` has {k} columns, but `b` has {h} rows"));
    let mut product = c;
    product[D - 2..].copy_from_slice(&[m, n]);
    require(c == product, || format!("`{kernel}`: the product has the shape {product:?}, but `c` has {c:?}"));
    for (name, matrices) in [("a", a[0]), ("b", b[0])] {
        require(D == 2 || matrices == 1 || matrices == c[0], || {
            format!("`{kernel}`: `c` has {} matrices, but `{name}` has {matrices}", c[0])
        });
    }
}

/// Declares a product by tiles, of matrices or of batches of them. The names behind the dimensions
/// are those of a batch, which the other kernel lacks.
///
/// It is a macro because the kernels differ in the number of components of each index. A grid with
/// two dimensions cannot be passed as one with three, and a function cannot contain phases.
macro_rules! product_by_tiles {
    ($(#[$doc:meta])* $name:ident, $d:literal $(, $matrices:ident, $i:ident: $usize:ident, $of_a:ident, $of_b:ident)?) => {
        $(#[$doc])*
        #[track_caller]
        #[kernel(crate = crate)]
        pub fn $name<T: Num, R: DeviceCopy>(
            a: &Grid<T, $d>,
            b: &Grid<T, $d>,
            c: &mut Grid<R, $d>,
            with: impl Fn(T, $($usize,)? usize, usize) -> R,
        ) {
            check(stringify!($name), a.shape(), b.shape(), c.shape());
            let ([.., m, k], [.., n]) = (a.shape(), b.shape());
            $(
                let [$matrices, ..] = c.shape();
                let [last_a, last_b] = [a.shape(), b.shape()].map(|[matrices, ..]| matrices.saturating_sub(1));
            )?
            let rounds = k.div_ceil(16);
            for block in par_blocks(($(0..$matrices,)? 0..m.div_ceil(64), 0..n.div_ceil(64))).threads((8, 16)) {
                let ($($i,)? by, bx) = block.index();
                // A grid with one matrix has it for all products.
                $(let ($of_a, $of_b) = ($i.min(last_a), $i.min(last_b));)?
                // Columns of `a` and rows of `b`. What is more than 64 keeps threads that write
                // apart in their banks.
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
                                next_a[i] = a[[$($of_a,)? by * 64 + y + 8 * i, round * 16 + x]];
                            }
                            for i in 0..4 {
                                next_b[i] = b[[$($of_b,)? round * 16 + y, bx * 64 + x + 16 * i]];
                                next_b[i + 4] = b[[$($of_b,)? round * 16 + y + 8, bx * 64 + x + 16 * i]];
                            }
                        }
                    } else if round < rounds {
                        for (y, x) in block.threads() {
                            for i in 0..8 {
                                let (row, column) = (by * 64 + y + 8 * i, round * 16 + x);
                                next_a[i] = if row < m && column < k { a[[$($of_a,)? row, column]] } else { T::ZERO };
                                let (row, column) = (round * 16 + y + i / 4 * 8, bx * 64 + x + i % 4 * 16);
                                next_b[i] = if row < k && column < n { b[[$($of_b,)? row, column]] } else { T::ZERO };
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
                            let (row, column) = (by * 64 + y * 8 + u, bx * 64 + x * 4 + v);
                            if row < m && column < n {
                                c[[$($i,)? row, column]] = with(sums[u][v], $($i,)? row, column);
                            }
                        }
                    }
                }
            }
        }
    };
}

product_by_tiles! {
    /// [`matmul`] with a last step: `c[[row, column]] = with(sum, row, column)`, where `sum` is an
    /// element of `a * b`.
    ///
    /// `with` is a [`closure!`](crate::closure!), such as a scale, an activation, or a conversion
    /// to another type. It runs once for each element of `c`, in the launch that computes the sums.
    /// It captures values and arrays, but no slices. `sum` is zero if `k` is 0. Everything else is
    /// as for [`matmul`].
    ///
    /// ```
    /// use anabranch::algorithms::matmul_with;
    /// use anabranch::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let a = device.grid_from(&[1.0f32, 2.0, 3.0, 4.0], [2, 2])?;
    /// let b = device.grid_from(&[1.0f32, 0.0, -1.0, 1.0], [2, 2])?;
    /// let mut c = device.grid_zeros([2, 2])?;
    /// let bias = [0.5f32, -3.0];
    /// let layer = closure!(|sum: f32, _row: usize, column: usize| (sum + bias[column]).max(0.0));
    /// matmul_with(&device.default_stream(), &a, &b, &mut c, layer)?;
    /// assert_eq!(c.to_vec()?, [0.0, 0.0, 0.0, 1.0]);
    /// # Ok::<(), anabranch::Error>(())
    /// ```
    ///
    /// # Panics
    /// If the shapes do not fit.
    matmul_with, 2
}

product_by_tiles! {
    /// [`matmul_batched`] with a last step: `c[[i, row, column]] = with(sum, i, row, column)`, as
    /// in [`matmul_with`].
    ///
    /// # Panics
    /// If the shapes do not fit.
    matmul_batched_with, 3, matrices, i: usize, of_a, of_b
}
