//! Collectives of a block on the CPU: functions of what each thread evaluates, by its number.
//!
//! **The order**, which a GPU has, too (`prelude/collectives.cuh`), so that sums of floats have the
//! same bits there. The threads are in groups of 32, the last of which may be smaller. In a group
//! the values fold by halves: with the distances 16, 8, 4, 2 and 1, the value of lane `k` below the
//! distance becomes `value[k] + value[k + distance]`. What lies beyond the group's end is left out:
//! then the value stays what it is. So no value stands for what is missing, and a group of any size
//! has a meaning. Then the results of the (at most 32) groups fold in the same way, as those of one
//! group.
//!
//! A scan adds, in a group, with the distances 1, 2, 4, 8 and 16, what the lane at that distance
//! before it had: `value[k - distance] + value[k]`. The totals of the groups before are added up
//! from left to right, and their sum is added on the left.

use std::ops::Range;

use super::blocks::rounds;
use crate::model::ranges::Index;
use crate::model::slots::TypeOf;
use crate::value::DeviceValue;
use crate::value::arithmetic::Arithmetic;

/// Threads of a group.
pub(super) const LANES: usize = 32;

/// A type of which a block has sums and the like: a number.
#[diagnostic::on_unimplemented(
    message = "there is no sum, product, minimum or maximum of values of type `{Self}`",
    label = "expected numbers",
    note = "of `bool` there are `any`, `all` and `count`"
)]
pub trait Collected: Arithmetic {}
#[diagnostic::do_not_recommend]
impl<V: Arithmetic> Collected for V {}

/// The values of a group of threads. Those beyond its end stand for nothing.
// A loop, as everywhere here: a function of std is compiled for the baseline, and not made part of
// a loop that has AVX2.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "the compiler makes vectors of this loop, but not of one over iterators")]
fn group<V: Copy>(own: &mut impl FnMut(usize) -> V, first: usize, count: usize) -> [V; LANES] {
    let mut values = [own(first); LANES];
    // Of groups whose size is known, the compiler makes vectors.
    for lane in 1..LANES {
        if count >= LANES || lane < count {
            values[lane] = own(first + lane);
        }
    }
    values
}

/// Folds at most 32 values by halves, into the first of them.
#[inline(always)]
pub(super) fn halved<V: Copy>(values: &mut [V], op: impl Fn(V, V) -> V) -> V {
    let mut distance = LANES / 2;
    while distance > 0 {
        let (low, high) = values.split_at_mut(distance.min(values.len()));
        for (value, other) in low.iter_mut().zip(high) {
            *value = op(*value, *other);
        }
        distance /= 2;
    }
    values[0]
}

/// What a group of threads folds to.
#[inline(always)]
fn total<V: Copy>(own: &mut impl FnMut(usize) -> V, first: usize, count: usize, op: impl Fn(V, V) -> V) -> V {
    let mut values = group(own, first, count);
    // Of groups whose size is known, the compiler makes vectors.
    if count >= LANES { halved(&mut values, op) } else { halved(&mut values[..count], op) }
}

#[inline(always)]
fn folded<const T: usize, V: Copy>(mut own: impl FnMut(usize) -> V, op: impl Fn(V, V) -> V) -> V {
    let groups = const { T.div_ceil(LANES) };
    let mut totals = [total(&mut own, 0, T, &op); LANES];
    for (at, result) in totals.iter_mut().enumerate().take(groups).skip(1) {
        *result = total(&mut own, at * LANES, T - at * LANES, &op);
    }
    halved(&mut totals[..groups], op)
}

/// The sum of all values.
#[inline(always)]
pub fn sum<const T: usize, V: Collected>(own: impl Fn(usize) -> V, _: TypeOf<V>) -> V {
    folded::<T, V>(own, V::ab_add)
}

/// The product of all values.
#[inline(always)]
pub fn product<const T: usize, V: Collected>(own: impl Fn(usize) -> V, _: TypeOf<V>) -> V {
    folded::<T, V>(own, V::ab_mul)
}

/// The smallest value, as `min` of std has it of two.
#[inline(always)]
pub fn min<const T: usize, V: Collected>(own: impl Fn(usize) -> V, _: TypeOf<V>) -> V {
    folded::<T, V>(own, V::ab_min)
}

/// The greatest value.
#[inline(always)]
pub fn max<const T: usize, V: Collected>(own: impl Fn(usize) -> V, _: TypeOf<V>) -> V {
    folded::<T, V>(own, V::ab_max)
}

/// Whether one is true. All are evaluated.
#[inline(always)]
pub fn any<const T: usize>(own: impl Fn(usize) -> bool, _: TypeOf<bool>) -> bool {
    (0..T).fold(false, |any, thread| any | own(thread))
}

/// Whether all are true. All are evaluated.
#[inline(always)]
pub fn all<const T: usize>(own: impl Fn(usize) -> bool, _: TypeOf<bool>) -> bool {
    (0..T).fold(true, |all, thread| all & own(thread))
}

/// How many are true.
#[inline(always)]
pub fn count<const T: usize>(own: impl Fn(usize) -> bool, _: TypeOf<bool>) -> usize {
    (0..T).map(|thread| usize::from(own(thread))).sum()
}

/// The value of one thread. All are evaluated.
#[inline(always)]
#[track_caller]
pub fn broadcast<const T: usize, V: DeviceValue>(own: impl Fn(usize) -> V, _: TypeOf<V>, thread: usize) -> V {
    const {
        assert!(
            V::TYPE.layout().0 <= 256,
            "a value of more than 256 bytes on a GPU goes through a shared array: `block.broadcast(…)` has no room for it"
        )
    }
    // No array of all values, since what has no effect then costs nothing.
    if thread < T {
        for before in 0..thread {
            let _ = own(before);
        }
        let value = own(thread);
        for after in thread + 1..T {
            let _ = own(after);
        }
        return value;
    }
    let values: [V; T] = std::array::from_fn(own);
    *crate::cpu::ops::Indexing::part(&values, thread)
}

/// For each thread, the sum of the values up to its own.
#[inline(always)]
pub fn inclusive_sum<const T: usize, V: Collected>(own: impl Fn(usize) -> V, _: TypeOf<V>) -> [V; T] {
    scanned::<T, V, 0>(own)
}

/// For each thread, the sum of the values before its own: what [`inclusive_sum`] gives to the
/// thread before it. The first one gets the sum of nothing, which for floats is `-0.0`, as in std.
#[inline(always)]
pub fn exclusive_sum<const T: usize, V: Collected>(own: impl Fn(usize) -> V, _: TypeOf<V>) -> [V; T] {
    scanned::<T, V, 1>(own)
}

/// A phase over one range, and the [`inclusive_sum`] of what its iterations set.
/// `run(first, count, at)` runs iteration `at` of the round that begins with `first`, if it has so
/// many iterations, and returns the value of this thread.
#[inline(always)]
pub fn phase_and_inclusive_sum<const T: usize, I: Index, V: Collected>(
    range: Range<I>,
    run: impl FnMut(I, usize, usize) -> V,
    _: TypeOf<V>,
) -> [V; T] {
    phase_and_scan::<T, I, V, 0>(range, run)
}

/// The same with [`exclusive_sum`].
#[inline(always)]
pub fn phase_and_exclusive_sum<const T: usize, I: Index, V: Collected>(
    range: Range<I>,
    run: impl FnMut(I, usize, usize) -> V,
    _: TypeOf<V>,
) -> [V; T] {
    phase_and_scan::<T, I, V, 1>(range, run)
}

#[inline(always)]
fn phase_and_scan<const T: usize, I: Index, V: Collected, const LATER: usize>(
    range: Range<I>,
    mut run: impl FnMut(I, usize, usize) -> V,
) -> [V; T] {
    let (mut first, mut count) = (range.start, 0);
    for next in rounds::<T, I>(range) {
        for at in 0..count {
            run(first, count, at);
        }
        (first, count) = next;
    }
    // Of whole rounds the compiler makes vectors.
    if count == T {
        scanned::<T, V, LATER>(
            #[inline(always)]
            |thread| run(first, T, thread),
        )
    } else {
        scanned::<T, V, LATER>(
            #[inline(always)]
            |thread| run(first, count, thread),
        )
    }
}

/// The sum of nothing: added to any value, it is that value.
#[inline(always)]
pub(super) fn nothing<V: Collected>() -> V {
    V::ab_from_single(-0.0)
}

/// Lanes that are added at once. A compiler keeps so many values in registers, and moves them
/// there.
const WIDTH: usize = 8;

/// A group as vectors.
type Vectors<V> = [[V; WIDTH]; LANES / WIDTH];

/// One round of the scan of a group: each lane adds what the lane at a distance before it had.
/// Before the first lane is nothing.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "as in `group`")]
fn round<V: Collected, const DISTANCE: usize>(had: Vectors<V>) -> Vectors<V> {
    let mut sums = had;
    for at in 0..LANES / WIDTH {
        for lane in 0..WIDTH {
            let here = at * WIDTH + lane;
            let before = if here < DISTANCE {
                nothing::<V>()
            } else {
                had[(here - DISTANCE) / WIDTH][(here - DISTANCE) % WIDTH]
            };
            sums[at][lane] = before.ab_add(sums[at][lane]);
        }
    }
    sums
}

/// The sums up to each lane of a group.
#[inline(always)]
fn sums_of_group<V: Collected>(values: &[V; LANES]) -> Vectors<V> {
    let mut vectors = [[nothing::<V>(); WIDTH]; LANES / WIDTH];
    for lane in 0..LANES {
        vectors[lane / WIDTH][lane % WIDTH] = values[lane];
    }
    let vectors = round::<V, 4>(round::<V, 2>(round::<V, 1>(vectors)));
    round::<V, 16>(round::<V, 8>(vectors))
}

/// The sums up to each lane of a group, each for the lane that comes so many `LATER`.
#[inline(always)]
pub(super) fn scan_of_group<V: Collected, const LATER: usize>(values: &[V; LANES], sums: &mut [V; LANES]) {
    let vectors = sums_of_group(values);
    *sums = [nothing::<V>(); LANES];
    for lane in LATER..LANES {
        sums[lane] = vectors[(lane - LATER) / WIDTH][(lane - LATER) % WIDTH];
    }
}

/// The sums up to each thread, for the thread that comes so many `LATER`.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "as in `group`")]
fn scanned<const T: usize, V: Collected, const LATER: usize>(mut own: impl FnMut(usize) -> V) -> [V; T] {
    let mut sums = [nothing::<V>(); T];
    let mut before = nothing::<V>();
    let mut first = 0;
    while first < T {
        // What the lanes that are not there have does not come to the others.
        let vectors = sums_of_group(&group(&mut own, first, T - first));
        for lane in 0..LANES {
            let thread = first + lane + LATER;
            if thread < T {
                sums[thread] = before.ab_add(vectors[lane / WIDTH][lane % WIDTH]);
            }
        }
        before = before.ab_add(vectors[LANES / WIDTH - 1][WIDTH - 1]);
        first += LANES;
    }
    sums
}
