//! Collectives of a block on the CPU: functions of the array of all threads' values.
//!
//! **The order**, which a GPU has, too (`prelude/collectives.cuh`), so that sums of floats have the same bits there. The threads are in groups
//! of 32, the last of which may be smaller. In a group the values fold by halves: with the distances 16, 8, 4, 2 and 1, the value of lane `k` below the
//! distance becomes `value[k] + value[k + distance]`. What lies beyond the group's end is left out: then the value stays what it is. So no value stands
//! for what is missing, and a group of any size has a meaning. Then the results of the (at most 32) groups fold in the same way, as those of one group.
//!
//! A scan adds, in a group, with the distances 1, 2, 4, 8 and 16, what the lane at that distance before it had: `value[k - distance] + value[k]`. The
//! totals of the groups before are added up from left to right, and their sum is added on the left.

use crate::model::slots::TypeOf;
use crate::value::DeviceValue;
use crate::value::arithmetic::Arithmetic;

/// Threads of a group.
const LANES: usize = 32;

/// A type of which a block has sums and the like: a number.
#[diagnostic::on_unimplemented(
    message = "a block computes no sum, product, minimum or maximum of values of type `{Self}`",
    label = "expected numbers",
    note = "of `bool` it has `any`, `all` and `count`"
)]
pub trait Collected: Arithmetic {}
#[diagnostic::do_not_recommend]
impl<V: Arithmetic> Collected for V {}

/// What each thread of a block has, evaluated thread by thread.
#[inline(always)]
pub fn values<const T: usize, V: DeviceValue>(_: TypeOf<V>, own: impl Fn(usize) -> V) -> [V; T] {
    let values = std::array::from_fn(own);
    super::blocks::each(&super::blocks::Empty, &values);
    values
}

/// Folds at most 32 values by halves, into the first of them.
#[inline(always)]
fn halved<V: Copy>(values: &mut [V], op: impl Fn(V, V) -> V) -> V {
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

#[inline(always)]
fn folded<V: Copy, const T: usize>(mut values: [V; T], op: impl Fn(V, V) -> V) -> V {
    let mut totals = [values[0]; LANES];
    let (groups, rest) = values.as_chunks_mut::<LANES>();
    let count = groups.len() + usize::from(!rest.is_empty());
    // Of groups whose size is known, the compiler makes vectors.
    for (total, group) in totals.iter_mut().zip(groups) {
        *total = halved(group, &op);
    }
    if !rest.is_empty() {
        totals[count - 1] = halved(rest, &op);
    }
    halved(&mut totals[..count], op)
}

/// The sum of all values.
#[inline(always)]
pub fn sum<V: Collected, const T: usize>(values: [V; T]) -> V {
    folded(values, V::ab_add)
}

/// The product of all values.
#[inline(always)]
pub fn product<V: Collected, const T: usize>(values: [V; T]) -> V {
    folded(values, V::ab_mul)
}

/// The smallest value, as `min` of std has it of two.
#[inline(always)]
pub fn min<V: Collected, const T: usize>(values: [V; T]) -> V {
    folded(values, V::ab_min)
}

/// The greatest value.
#[inline(always)]
pub fn max<V: Collected, const T: usize>(values: [V; T]) -> V {
    folded(values, V::ab_max)
}

/// Whether one is true.
#[inline(always)]
pub fn any<const T: usize>(values: [bool; T]) -> bool {
    values.iter().fold(false, |any, own| any | own)
}

/// Whether all are true.
#[inline(always)]
pub fn all<const T: usize>(values: [bool; T]) -> bool {
    values.iter().fold(true, |all, own| all & own)
}

/// How many are true.
#[inline(always)]
pub fn count<const T: usize>(values: [bool; T]) -> usize {
    values.iter().map(|own| usize::from(*own)).sum()
}

/// The value of one thread.
#[inline(always)]
#[track_caller]
pub fn broadcast<V: DeviceValue, const T: usize>(values: [V; T], thread: usize) -> V {
    const {
        assert!(
            size_of::<V>() <= 256,
            "a value of more than 256 bytes goes through a shared array: `block.broadcast(…)` has no room for it"
        )
    }
    *crate::cpu::ops::Indexing::part(&values, thread)
}

/// For each thread, the sum of the values up to its own.
#[inline(always)]
pub fn inclusive_sum<V: Collected, const T: usize>(mut values: [V; T]) -> [V; T] {
    let mut before: Option<V> = None;
    for group in values.chunks_mut(LANES) {
        let mut distance = 1;
        while distance < LANES {
            // From the last one on, so that each finds what was there before the round.
            for lane in (distance..group.len()).rev() {
                group[lane] = group[lane - distance].ab_add(group[lane]);
            }
            distance *= 2;
        }
        let total = group[group.len() - 1];
        if let Some(before) = before {
            group.iter_mut().for_each(|value| *value = before.ab_add(*value));
        }
        before = Some(before.map_or(total, |before| before.ab_add(total)));
    }
    values
}

/// For each thread, the sum of the values before its own: what [`inclusive_sum`] gives to the thread before it. The first one gets the sum of
/// nothing, which for floats is `-0.0`, as in std.
#[inline(always)]
pub fn exclusive_sum<V: Collected, const T: usize>(values: [V; T]) -> [V; T] {
    let mut sums = inclusive_sum(values);
    sums.rotate_right(1);
    sums[0] = V::ab_from_single(-0.0);
    sums
}
