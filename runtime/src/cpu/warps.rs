//! Collectives of the warps of a block on the CPU: of each 32 threads with numbers next to each
//! other. Each thread gets a value of its own.
//!
//! Numbers fold and add up as those of a block of 32 threads ([`collectives`](super::collectives)).

use super::collectives::{Collected, LANES, halved, nothing, scan_of_group};
use crate::model::slots::TypeOf;
use crate::value::scalar::Scalar;

/// What goes through a shuffle: a number or a `bool`.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` cannot go to another thread of its warp",
    label = "expected a number or a `bool`",
    note = "take a struct apart, or use a shared array"
)]
pub trait Shuffled: Scalar {}
#[diagnostic::do_not_recommend]
impl<V: Scalar> Shuffled for V {}

/// The number of a thread in a warp, modulo 32.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the number of a thread",
    label = "expected an integer: the number of a thread in its warp"
)]
pub trait Lane: Copy {
    /// The number, below 32.
    fn lane(self) -> usize;
}

/// What the threads of a warp compare.
#[diagnostic::on_unimplemented(
    message = "warps do not compare values of type `{Self}`",
    label = "expected a `bool`, or an integer of at most 64 bits"
)]
pub trait Matched: Copy + PartialEq {}
impl Matched for bool {}

macro_rules! integers {
    ($($T:ty)*) => { $(
        impl Lane for $T {
            #[inline(always)]
            fn lane(self) -> usize {
                self as usize % LANES
            }
        }
    )* };
}
integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

macro_rules! matched {
    ($($T:ty)*) => { $(impl Matched for $T {})* };
}
matched!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

/// What each warp computes of the values of its threads, for each thread.
#[inline(always)]
fn of_warps<const T: usize, V: Copy, R: Copy>(
    own: impl Fn(usize) -> V,
    first: R,
    of: impl Fn(&[V; LANES], &mut [R; LANES]),
) -> [R; T] {
    const { assert!(T.is_multiple_of(LANES), "the macro takes whole warps only") }
    let mut results = [first; T];
    for (warp, results) in results.as_chunks_mut().0.iter_mut().enumerate() {
        let mut values = [own(warp * LANES); LANES];
        // A loop, as in `collectives`.
        #[allow(clippy::needless_range_loop, reason = "a function of std is compiled for the baseline")]
        for lane in 1..LANES {
            values[lane] = own(warp * LANES + lane);
        }
        of(&values, results);
    }
    results
}

/// A bit for each thread whose value meets a condition.
#[inline(always)]
fn bits<V: Copy>(values: &[V; LANES], is: impl Fn(V) -> bool) -> u32 {
    let mut bits = 0;
    #[allow(clippy::needless_range_loop, reason = "as above")]
    for lane in 0..LANES {
        bits |= u32::from(is(values[lane])) << lane;
    }
    bits
}

/// What each warp folds to.
#[inline(always)]
fn folded<const T: usize, V: Collected>(own: impl Fn(usize) -> V, op: impl Fn(V, V) -> V) -> [V; T] {
    of_warps(own, nothing(), |values, results| *results = [halved(&mut { *values }, &op); LANES])
}

/// What each warp makes of a bit for each thread.
#[inline(always)]
fn voted<const T: usize, R: Copy + Default>(own: impl Fn(usize) -> bool, of: impl Fn(u32) -> R) -> [R; T] {
    of_warps(own, R::default(), |values, results| *results = [of(bits(values, |own| own)); LANES])
}

/// The sum of a warp.
#[inline(always)]
pub fn sum<const T: usize, V: Collected>(_: [(); T], own: impl Fn(usize) -> V, _: TypeOf<V>, _: TypeOf<V>) -> [V; T] {
    folded(own, V::ab_add)
}

/// The product.
#[inline(always)]
pub fn product<const T: usize, V: Collected>(
    _: [(); T],
    own: impl Fn(usize) -> V,
    _: TypeOf<V>,
    _: TypeOf<V>,
) -> [V; T] {
    folded(own, V::ab_mul)
}

/// The smallest value, as `min` of std has it of two.
#[inline(always)]
pub fn min<const T: usize, V: Collected>(_: [(); T], own: impl Fn(usize) -> V, _: TypeOf<V>, _: TypeOf<V>) -> [V; T] {
    folded(own, V::ab_min)
}

/// The greatest value.
#[inline(always)]
pub fn max<const T: usize, V: Collected>(_: [(); T], own: impl Fn(usize) -> V, _: TypeOf<V>, _: TypeOf<V>) -> [V; T] {
    folded(own, V::ab_max)
}

/// A bit for each thread of a warp.
#[inline(always)]
pub fn ballot<const T: usize>(_: [(); T], own: impl Fn(usize) -> bool, _: TypeOf<bool>, _: TypeOf<u32>) -> [u32; T] {
    voted(own, |bits| bits)
}

/// Whether one is true.
#[inline(always)]
pub fn any<const T: usize>(_: [(); T], own: impl Fn(usize) -> bool, _: TypeOf<bool>, _: TypeOf<bool>) -> [bool; T] {
    voted(own, |bits| bits != 0)
}

/// Whether all are true.
#[inline(always)]
pub fn all<const T: usize>(_: [(); T], own: impl Fn(usize) -> bool, _: TypeOf<bool>, _: TypeOf<bool>) -> [bool; T] {
    voted(own, |bits| bits == u32::MAX)
}

/// How many are true.
#[inline(always)]
pub fn count<const T: usize>(_: [(); T], own: impl Fn(usize) -> bool, _: TypeOf<bool>, _: TypeOf<usize>) -> [usize; T] {
    voted(own, |bits| bits.count_ones() as usize)
}

/// A bit for each thread of a warp with the thread's own value.
#[inline(always)]
pub fn matching<const T: usize, V: Matched>(
    _: [(); T],
    own: impl Fn(usize) -> V,
    _: TypeOf<V>,
    _: TypeOf<u32>,
) -> [u32; T] {
    of_warps(own, 0, |values, results| {
        for (value, equal) in values.iter().zip(results) {
            *equal = bits(values, |other| other == *value);
        }
    })
}

/// The value of the thread of a warp with this number.
#[inline(always)]
pub fn shuffle<const T: usize, V: Shuffled, L: Lane>(
    _: [(); T],
    own: impl Fn(usize) -> (V, L),
    _: TypeOf<(V, L)>,
    _: TypeOf<V>,
) -> [V; T] {
    of_warps(own, V::default(), |values, results| {
        for ((_, from), result) in values.iter().zip(results) {
            *result = values[from.lane()].0;
        }
    })
}

/// The sum of the values of a warp up to each thread's own.
#[inline(always)]
pub fn inclusive_sum<const T: usize, V: Collected>(
    _: [(); T],
    own: impl Fn(usize) -> V,
    _: TypeOf<V>,
    _: TypeOf<V>,
) -> [V; T] {
    of_warps(own, nothing(), scan_of_group::<V, 0>)
}

/// The sum of the values of a warp before each thread's own. The first one gets the sum of nothing.
#[inline(always)]
pub fn exclusive_sum<const T: usize, V: Collected>(
    _: [(); T],
    own: impl Fn(usize) -> V,
    _: TypeOf<V>,
    _: TypeOf<V>,
) -> [V; T] {
    of_warps(own, nothing(), scan_of_group::<V, 1>)
}
