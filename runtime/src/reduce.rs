//! What reductions and scans of host parts are made of: into how many parts a range is divided, and
//! the operations.
//!
//! The macro makes block loops of `total[0] = par(0..n).map(|i| x[i] * y[i]).sum();`: see
//! `parse/host/reductions` there. The order of the operations is a function of the number of
//! iterations alone, so that sums of floats have the same bits on all devices.

use std::ops::{Range, RangeInclusive};

use crate::model::ranges::{Dim, Stride, Unit, dim, dim_inclusive};
use crate::value::number::Num;
use crate::{DeviceCopy, device};

/// Threads of a block.
const THREADS: usize = 256;
/// Iterations of a part, if there are few parts.
const PART: usize = 8192;
/// The most parts: one block adds up their results.
const PARTS: usize = 1024;

/// How a reduction is divided: one block of threads a part.
#[derive(Debug, Clone, Copy)]
pub struct Division {
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
        Self { chunk, parts: count.div_ceil(chunk).max(1) }
    }

    /// The same, with as many parts as there are rounds.
    pub fn in_rounds(count: usize) -> Self {
        Self { chunk: THREADS, parts: count.div_ceil(THREADS).max(1) }
    }
}

/// A range of a reduction or a scan.
pub fn along(range: Range<usize>) -> Dim<usize, Unit> {
    dim(range.start, range.end)
}

/// The same, of a range that has its end.
pub fn along_inclusive(range: RangeInclusive<usize>) -> Dim<usize, Unit> {
    let (start, end) = range.into_inner();
    dim_inclusive(start, end)
}

/// How many iterations a range has, its first index, and its step.
pub fn parts_of<S: Stride>(range: Dim<usize, S>) -> (usize, usize, usize) {
    range.parts()
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

/// A type of values of which a reduction finds the smallest or the greatest: the numbers, and
/// `bool`.
#[diagnostic::on_unimplemented(
    message = "values of type `{Self}` have no smallest and no greatest one",
    label = "expected numbers or `bool`",
    note = "for a type of your own, write `.reduce(first, |a, b| …)`"
)]
#[device(crate = crate)]
pub trait Ranked: DeviceCopy {
    /// Numbers of the same order.
    type Key: Num;

    /// The number that stands for a value.
    fn key(self) -> Self::Key;
}

#[device(crate = crate)]
impl Ranked for bool {
    type Key = u8;
    fn key(self) -> u8 {
        self as u8
    }
}

macro_rules! ranked {
    ($($t:path),*) => { $(
        #[device(crate = crate)]
        impl Ranked for $t {
            type Key = $t;
            fn key(self) -> $t {
                self
            }
        }
    )* };
}
ranked! { u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64 }
#[cfg(feature = "half")]
ranked! { half::f16, half::bf16 }

/// The number of no iteration.
pub const NOWHERE: usize = usize::MAX;

/// The best value so far, and the number of its iteration.
#[device(crate = crate)]
#[derive(Debug, Clone, Copy)]
pub struct Best<K> {
    /// The value.
    pub key: K,
    /// Or [`NOWHERE`].
    pub number: usize,
}

/// The best of nothing.
#[device(crate = crate)]
pub fn no_best<K: Num>() -> Best<K> {
    Best { key: K::ZERO, number: NOWHERE }
}

/// The best of one value. A NaN is none.
#[device(crate = crate)]
pub fn best<T: Ranked>(value: T, number: usize) -> Best<T::Key> {
    let key = value.key();
    Best { key, number: if key == key { number } else { NOWHERE } }
}

/// The first one of the smallest.
#[device(crate = crate)]
pub fn smaller<K: Num>(a: Best<K>, b: Best<K>) -> Best<K> {
    let first = a.key < b.key || (a.key == b.key && a.number < b.number);
    if b.number == NOWHERE || (a.number != NOWHERE && first) { a } else { b }
}

/// The first one of the greatest.
#[device(crate = crate)]
pub fn greater<K: Num>(a: Best<K>, b: Best<K>) -> Best<K> {
    let first = a.key > b.key || (a.key == b.key && a.number < b.number);
    if b.number == NOWHERE || (a.number != NOWHERE && first) { a } else { b }
}
