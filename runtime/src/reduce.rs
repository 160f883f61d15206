//! What reductions and scans of host parts are made of: into how many parts a range is divided, and the operations.
//!
//! The macro makes block loops of `total[0] = par(0..n).map(|i| x[i] * y[i]).sum();`: see `parse/reduction.rs` there. The order of the operations
//! is a function of the number of iterations alone, so that sums of floats have the same bits on all devices.

use std::ops::Range;

use crate::device;
use crate::value::number::Num;

/// Threads of a block.
const THREADS: usize = 256;
/// Iterations of a part, if there are few parts.
const PART: usize = 8192;
/// The most parts: one block adds up their results.
const PARTS: usize = 1024;

/// How a reduction is divided: one block of threads a part.
#[derive(Debug, Clone, Copy)]
pub struct Division {
    /// Iterations.
    pub count: usize,
    /// Iterations of a part; the last one may have fewer.
    pub chunk: usize,
    /// Parts; at least one.
    pub parts: usize,
}

impl Division {
    /// Of so many iterations.
    pub fn of(count: usize) -> Self {
        let parts = count.div_ceil(PART).clamp(1, PARTS);
        let chunk = count.div_ceil(parts).next_multiple_of(THREADS).max(THREADS);
        Self { count, chunk, parts: count.div_ceil(chunk).max(1) }
    }
}

/// The length of a range, and its first index.
pub fn along(range: Range<usize>) -> (usize, usize) {
    (range.len(), range.start)
}

/// The number of iterations of ranges in each other.
///
/// # Panics
/// If it is not a `usize`.
pub fn product(lengths: &[usize]) -> usize {
    let product = lengths.iter().try_fold(1usize, |all, length| all.checked_mul(*length));
    product.unwrap_or_else(|| if lengths.contains(&0) { 0 } else { panic!("more than {} iterations", usize::MAX) })
}

/// The sum of nothing.
#[device(crate = crate)]
pub fn no_sum<T: Num>() -> T {
    T::ZERO
}

/// The first value of a minimum: no number is greater.
#[device(crate = crate)]
pub fn greatest<T: Num>() -> T {
    T::GREATEST
}

/// The first value of a maximum: no number is smaller.
#[device(crate = crate)]
pub fn least<T: Num>() -> T {
    T::LEAST
}

/// The product of nothing.
#[device(crate = crate)]
pub fn no_product<T: Num>() -> T {
    T::ONE
}

/// `a + b`, where integers wrap.
#[device(crate = crate)]
pub fn sum<T: Num>(a: T, b: T) -> T {
    a + b
}

/// `a * b`, where integers wrap.
#[device(crate = crate)]
pub fn times<T: Num>(a: T, b: T) -> T {
    a * b
}

/// The smaller one.
#[device(crate = crate)]
pub fn min<T: Num>(a: T, b: T) -> T {
    a.min(b)
}

/// The greater one.
#[device(crate = crate)]
pub fn max<T: Num>(a: T, b: T) -> T {
    a.max(b)
}

/// 1 if it is true.
#[device(crate = crate)]
pub fn one_if(b: bool) -> usize {
    b as usize
}

/// Whether one is true. Both are evaluated.
#[device(crate = crate)]
pub fn or(a: bool, b: bool) -> bool {
    a | b
}

/// Whether both are true. Both are evaluated.
#[device(crate = crate)]
pub fn and(a: bool, b: bool) -> bool {
    a & b
}
