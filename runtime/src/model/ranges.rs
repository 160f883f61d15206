//! The ranges of a `par` loop as trip counts, which also represent steps, inclusive ends, and
//! ranges over all values of a type.

use std::ops::Range;

use super::params::DimArg;
use crate::error::TooMany;
use crate::model::judge::Decided;
use crate::value::admitted::RangeEnd;
use crate::value::scalar::Scalar;
use anabranch_core::decide::Axis;

/// A type that a loop can count with.
pub trait Index: Scalar + PartialOrd {
    /// The index `trips` steps after this one; wraps.
    fn after(self, trips: usize, step: usize) -> Self;
    /// The index before this one; wraps.
    fn before(self) -> Self;
    /// The distance from this index to `last`, which is not smaller.
    fn distance(self, last: Self) -> u128;
    /// The distance to the greatest index.
    fn below_greatest(self) -> u128;
}

macro_rules! index {
    ($($t:ident as $unsigned:ident)*) => { $(
        impl Index for $t {
            #[inline(always)]
            fn after(self, trips: usize, step: usize) -> Self {
                self.wrapping_add((trips as $t).wrapping_mul(step as $t))
            }
            #[inline(always)]
            fn before(self) -> Self {
                self.wrapping_sub(1)
            }
            #[inline(always)]
            fn distance(self, last: Self) -> u128 {
                last.wrapping_sub(self) as $unsigned as u128
            }
            fn below_greatest(self) -> u128 {
                self.distance($t::MAX)
            }
        }
    )* };
}
index! { i8 as u8 i16 as u16 i32 as u32 i64 as u64 i128 as u128 isize as usize u8 as u8 u16 as u16 u32 as u32 u64 as u64 u128 as u128 usize as usize }

/// A step of 1, known at compile time: loops over it vectorize.
#[derive(Debug, Clone, Copy)]
pub struct Unit;
/// A step known at the launch.
#[derive(Debug, Clone, Copy)]
pub struct By(usize);

/// The distance between consecutive iterations.
pub trait Stride: Copy + Send + Sync + 'static {
    /// The distance; 0 is an error.
    fn get(self) -> usize;
}
impl Stride for Unit {
    #[inline(always)]
    fn get(self) -> usize {
        1
    }
}
impl Stride for By {
    #[inline(always)]
    fn get(self) -> usize {
        self.0
    }
}

/// The axis of a missing range.
const ONE: Axis = Axis { lo: 0, step: 1, trips: 1 };

/// The most iterations of a loop. One with more does not end for days, so an end of its range is a
/// mistake.
const MOST: u64 = 1 << 48;

/// The longest range of a loop that is [too long](Dims::is_too_long).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Longest {
    /// Its number.
    pub(crate) dim: usize,
    /// Its iterations, saturating.
    trips: usize,
    /// Its values, as a range of Rust.
    pub(crate) values: String,
    /// Its end is one that a subtraction from a small number gives.
    near_greatest: bool,
}

impl Longest {
    fn or_longer(self, other: Self) -> Self {
        if other.trips > self.trips { other } else { self }
    }

    /// What the mistake may be.
    pub(crate) fn mistake(&self) -> TooMany {
        match self.trips as u64 > MOST {
            false => TooMany::Product,
            true if self.near_greatest => TooMany::Wrapped,
            true => TooMany::Ends,
        }
    }
}

/// One range.
#[derive(Debug, Clone, Copy)]
pub struct Dim<I, S> {
    lo: I,
    /// The last index without the step, if the range is not empty.
    last: I,
    trips: usize,
    step: S,
}

impl<S: Stride> Dim<usize, S> {
    /// The number of iterations, the first index, and the step.
    pub(crate) fn parts(self) -> (usize, usize, usize) {
        (self.trips, self.lo, self.step.get())
    }
}

/// `start..end`.
#[inline(always)]
pub fn dim<T: RangeEnd<I>, I: Index>(start: T, end: T) -> Dim<I, Unit> {
    let (start, end) = (start.ab_range_end(), end.ab_range_end());
    let last = end.before();
    Dim { lo: start, last, trips: if start < end { trips(start, last, 1) } else { 0 }, step: Unit }
}

/// `start..=end`.
#[inline(always)]
pub fn dim_inclusive<T: RangeEnd<I>, I: Index>(start: T, end: T) -> Dim<I, Unit> {
    let (start, end) = (start.ab_range_end(), end.ab_range_end());
    Dim { lo: start, last: end, trips: if start <= end { trips(start, end, 1) } else { 0 }, step: Unit }
}

/// The number of iterations from one index to another, both included, saturating.
#[inline(always)]
fn trips<I: Index>(lo: I, last: I, step: u64) -> usize {
    let distance = lo.distance(last);
    let steps = match u64::try_from(distance) {
        // A 128-bit division is slow, and ranges are rarely that long.
        Ok(distance) => u128::from(distance / step),
        Err(_) => distance / u128::from(step),
    };
    usize::try_from(steps).map_or(usize::MAX, |steps| steps.saturating_add(1))
}

/// `range.step_by(step)`.
#[inline(always)]
pub fn stepped<I: Index>(range: Dim<I, Unit>, step: usize) -> Dim<I, By> {
    let Dim { lo, last, .. } = range;
    // A step of 0 is an error before anything runs.
    let trips = if range.trips == 0 { 0 } else { trips(lo, last, (step as u64).max(1)) };
    Dim { lo, last, trips, step: By(step) }
}

/// The numbers of one to three ranges, slowest first.
pub trait Ranges {
    /// Iterations of the fastest range.
    fn width(&self) -> usize;
    /// Iterations of the other ranges together, saturating.
    fn rows(&self) -> usize;
    /// The ranges as numbers; those after [`COUNT`](Dims::COUNT) are unused. `None` if a number
    /// needs more than 127 bits.
    fn axes(&self) -> Option<[Axis; 3]>;
    /// Whether a step is 0.
    fn stands_still(&self) -> bool;
    /// Whether there are more iterations than any loop should have.
    #[inline(always)]
    fn is_too_long(&self) -> bool {
        self.count() as u64 > MOST
    }
    /// The number of iterations, saturating.
    #[inline(always)]
    fn count(&self) -> usize {
        self.rows().saturating_mul(self.width())
    }
    /// The longest range, for an error.
    fn longest(&self) -> Longest;
}

/// One to three ranges with the types of their indexes, slowest first.
pub trait Dims: Ranges + Copy + Send + Sync + 'static {
    /// Number of ranges.
    const COUNT: usize;
    /// The fastest index.
    type Inner;
    /// The other indexes: nothing, one, or a pair.
    type Outer;
    /// An array of [`COUNT`](Self::COUNT).
    type Args: AsRef<[DimArg]>;
    /// The ranges as kernel parameters.
    fn args(&self) -> Self::Args;
    /// The fastest index of a trip.
    fn inner(&self, trip: usize) -> Self::Inner;
    /// The other indexes of a row.
    fn outer(&self, row: usize) -> Self::Outer;
}

impl<I: Index, S: Stride> Dim<I, S> {
    #[inline(always)]
    fn index(&self, trip: usize) -> I {
        self.lo.after(trip, self.step.get())
    }

    #[inline]
    fn arg(&self) -> DimArg {
        DimArg { lo: self.lo.bits(), step: self.step.get() as u64, size: size_of::<I>(), trips: self.trips as u64 }
    }

    fn axis(&self) -> Option<Axis> {
        Some(Axis { lo: self.lo.integer()?, step: self.step.get() as i128, trips: self.trips as u64 })
    }

    #[cold]
    fn as_longest(&self, dim: usize) -> Longest {
        let number = |index: I| index.integer().map_or_else(|| index.bits().to_string(), |number| number.to_string());
        let near_greatest = self.last.below_greatest() < u128::from(MOST);
        let values = match self.last.after(1, 1) {
            end if end > self.last => format!("{}..{}", number(self.lo), number(end)),
            _ => format!("{}..={}", number(self.lo), number(self.last)),
        };
        Longest { dim, trips: self.trips, values, near_greatest }
    }
}

impl<I: Index, S: Stride> Ranges for Dim<I, S> {
    #[inline(always)]
    fn width(&self) -> usize {
        self.trips
    }
    #[inline(always)]
    fn rows(&self) -> usize {
        1
    }
    fn axes(&self) -> Option<[Axis; 3]> {
        Some([self.axis()?, ONE, ONE])
    }
    fn stands_still(&self) -> bool {
        self.step.get() == 0
    }
    fn longest(&self) -> Longest {
        self.as_longest(0)
    }
}

impl<I: Index, S: Stride> Dims for Dim<I, S> {
    const COUNT: usize = 1;
    type Args = [DimArg; 1];
    type Inner = I;
    type Outer = ();
    #[inline]
    fn args(&self) -> [DimArg; 1] {
        [self.arg()]
    }
    #[inline(always)]
    fn inner(&self, trip: usize) -> I {
        self.index(trip)
    }
    fn outer(&self, _: usize) {}
}

impl<I: Index, S: Stride, J: Index, T: Stride> Ranges for (Dim<J, T>, Dim<I, S>) {
    #[inline(always)]
    fn width(&self) -> usize {
        self.1.trips
    }
    #[inline(always)]
    fn rows(&self) -> usize {
        self.0.trips
    }
    fn axes(&self) -> Option<[Axis; 3]> {
        Some([self.0.axis()?, self.1.axis()?, ONE])
    }
    fn stands_still(&self) -> bool {
        self.0.stands_still() || self.1.stands_still()
    }
    fn longest(&self) -> Longest {
        self.0.as_longest(0).or_longer(self.1.as_longest(1))
    }
}

impl<I: Index, S: Stride, J: Index, T: Stride> Dims for (Dim<J, T>, Dim<I, S>) {
    const COUNT: usize = 2;
    type Args = [DimArg; 2];
    type Inner = I;
    type Outer = J;
    #[inline]
    fn args(&self) -> [DimArg; 2] {
        [self.0.arg(), self.1.arg()]
    }
    #[inline(always)]
    fn inner(&self, trip: usize) -> I {
        self.1.index(trip)
    }
    #[inline(always)]
    fn outer(&self, row: usize) -> J {
        self.0.index(row)
    }
}

impl<I: Index, S: Stride, J: Index, T: Stride, K: Index, U: Stride> Ranges for (Dim<K, U>, Dim<J, T>, Dim<I, S>) {
    #[inline(always)]
    fn width(&self) -> usize {
        self.2.trips
    }
    #[inline(always)]
    fn rows(&self) -> usize {
        self.0.trips.saturating_mul(self.1.trips)
    }
    fn axes(&self) -> Option<[Axis; 3]> {
        Some([self.0.axis()?, self.1.axis()?, self.2.axis()?])
    }
    fn stands_still(&self) -> bool {
        self.0.stands_still() || self.1.stands_still() || self.2.stands_still()
    }
    fn longest(&self) -> Longest {
        self.0.as_longest(0).or_longer(self.1.as_longest(1)).or_longer(self.2.as_longest(2))
    }
}

impl<I: Index, S: Stride, J: Index, T: Stride, K: Index, U: Stride> Dims for (Dim<K, U>, Dim<J, T>, Dim<I, S>) {
    const COUNT: usize = 3;
    type Args = [DimArg; 3];
    type Inner = I;
    type Outer = (K, J);
    #[inline]
    fn args(&self) -> [DimArg; 3] {
        [self.0.arg(), self.1.arg(), self.2.arg()]
    }
    #[inline(always)]
    fn inner(&self, trip: usize) -> I {
        self.2.index(trip)
    }
    #[inline(always)]
    fn outer(&self, row: usize) -> (K, J) {
        // There are no rows if the middle range is empty.
        let width = self.1.trips.max(1);
        (self.0.index(row / width), self.1.index(row % width))
    }
}

/// The part of a loop that one thread runs. Iterations are numbered row by row.
#[derive(Debug, Clone)]
pub struct Chunk<D> {
    dims: D,
    range: Range<usize>,
    decided: Decided,
}

impl<D: Dims> Chunk<D> {
    /// The iterations `range` of `rows() * width()`.
    #[inline(always)]
    pub(crate) fn new(dims: D, range: Range<usize>, decided: Decided) -> Self {
        Self { dims, range, decided }
    }
}

/// The launch's decision about the bounds of the loop.
#[inline(always)]
pub fn decided<D>(chunk: &Chunk<D>) -> Decided {
    chunk.decided
}

/// The trips of a loop over one range.
#[inline(always)]
pub fn trips_of<D>(chunk: &Chunk<D>) -> Range<usize> {
    chunk.range.clone()
}

/// The rows that a chunk touches.
#[inline(always)]
pub fn rows<D: Dims>(chunk: &Chunk<D>) -> Range<usize> {
    let width = chunk.dims.width().max(1);
    chunk.range.start / width..chunk.range.end.div_ceil(width)
}

/// The trips of one row.
#[inline(always)]
pub fn cols<D: Dims>(chunk: &Chunk<D>, row: usize) -> Range<usize> {
    let width = chunk.dims.width();
    let first = row * width;
    chunk.range.start.max(first) - first..chunk.range.end.min(first + width) - first
}

/// The fastest index of a trip.
#[inline(always)]
pub fn nth<D: Dims>(chunk: &Chunk<D>, trip: usize) -> D::Inner {
    chunk.dims.inner(trip)
}

/// The other indexes of a row.
#[inline(always)]
pub fn outer<D: Dims>(chunk: &Chunk<D>, row: usize) -> D::Outer {
    chunk.dims.outer(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indexes<D: Dims>(dims: D) -> Vec<D::Inner> {
        (0..dims.width()).map(|t| dims.inner(t)).collect()
    }

    #[test]
    fn ranges_are_those_of_rust() {
        assert_eq!(indexes(dim(-3i32, 2)), (-3..2).collect::<Vec<_>>());
        assert_eq!(indexes(dim(2u8, 2)), [0u8; 0]);
        assert_eq!(indexes(dim(5usize, 2)), [0usize; 0]);
        assert_eq!(indexes(dim_inclusive(250u8, 255)), (250..=255).collect::<Vec<_>>());
        assert_eq!(indexes(dim_inclusive(i8::MIN, i8::MAX)).len(), 256);
        assert_eq!(indexes(dim_inclusive(3u8, 2)), [0u8; 0]);
        assert_eq!(indexes(stepped(dim(1u16, 20), 6)), (1..20).step_by(6).collect::<Vec<_>>());
        assert_eq!(indexes(stepped(dim_inclusive(0u8, 255), 300)), [0]);
        assert_eq!(dim(0u128, u128::MAX).width(), usize::MAX);
        // With a step of 1, this range would have more iterations than fit a `u64`.
        assert_eq!(indexes(stepped(dim_inclusive(0, u64::MAX), usize::MAX)), [0, u64::MAX]);
        assert_eq!(indexes(stepped(dim_inclusive(i64::MIN, i64::MAX), usize::MAX)), [i64::MIN, i64::MAX]);
        let wide = stepped(dim(0u128, 1 << 68), 1 << 63);
        assert_eq!(indexes(wide), (0..32).map(|k| k << 63).collect::<Vec<u128>>());
        assert_eq!(stepped(dim_inclusive(0, u128::MAX), usize::MAX).width(), usize::MAX);
        assert!(stepped(dim(0, 4), 0).stands_still());
    }

    /// Whether a loop is refused for its length, and what the error says then.
    #[test]
    fn a_loop_of_more_than_two_to_the_48_iterations_is_a_mistake() {
        fn check<D: Dims>(dims: D, expected: Option<(usize, &str, TooMany)>) {
            let longest = dims.is_too_long().then(|| dims.longest());
            let found = longest.as_ref().map(|longest| (longest.dim, longest.values.as_str(), longest.mistake()));
            assert_eq!(found, expected);
        }
        let most = 1u64 << 48;
        check(dim(0, most), None);
        check(dim(0, most + 1), Some((0, "0..281474976710657", TooMany::Ends)));
        check(dim(0, 0u64.wrapping_sub(1)), Some((0, "0..18446744073709551615", TooMany::Wrapped)));
        check(dim_inclusive(0, 0usize.wrapping_sub(1)), Some((0, "0..=18446744073709551615", TooMany::Wrapped)));
        check(dim_inclusive(3, 0usize.wrapping_sub(9)), Some((0, "3..18446744073709551608", TooMany::Wrapped)));
        check(dim(i64::MIN, 0), Some((0, "-9223372036854775808..0", TooMany::Ends)));
        check(dim(-5, i64::MIN.wrapping_sub(1)), Some((0, "-5..9223372036854775807", TooMany::Wrapped)));
        let greatest = "0..340282366920938463463374607431768211455";
        check(dim(0u128, u128::MAX), Some((0, greatest, TooMany::Wrapped)));
        // The steps count, not the distance.
        check(stepped(dim(0, u64::MAX), 1 << 20), None);
        check(stepped(dim(0, u64::MAX), 2), Some((0, "0..18446744073709551615", TooMany::Wrapped)));
        // An empty range makes an empty loop.
        check((dim(0, 0), dim(0, u64::MAX)), None);
        check((dim(0, u64::MAX), dim(2, 1), dim(0u8, 9)), None);
        check((dim(0, 1), dim(0, u64::MAX)), Some((1, "0..18446744073709551615", TooMany::Wrapped)));
        check((dim(0u32, 1 << 16), dim(0, 1 << 20), dim(0i64, 1 << 12)), None);
        check((dim(0u32, 1 << 16), dim(0, 1 << 20), dim(0i64, 4097)), Some((1, "0..1048576", TooMany::Product)));
    }

    #[test]
    fn chunks_of_any_cut_visit_every_iteration_once() {
        let dims = (dim(10u32, 13), dim(0i16, 4), stepped(dim(5usize, 12), 2));
        let total = dims.rows() * dims.width();
        for cut in 1..=total {
            let mut seen = Vec::new();
            for start in (0..total).step_by(cut) {
                let chunk = Chunk::new(dims, start..(start + cut).min(total), Decided::NO);
                for row in rows(&chunk) {
                    let (z, y) = outer(&chunk, row);
                    seen.extend(cols(&chunk, row).map(|t| (z, y, nth(&chunk, t))));
                }
            }
            let all = (10..13).flat_map(|z| (0..4).flat_map(move |y| (5..12).step_by(2).map(move |x| (z, y, x))));
            assert_eq!(seen, all.collect::<Vec<_>>(), "cut {cut}");
        }
    }
}
