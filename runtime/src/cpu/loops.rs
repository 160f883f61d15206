//! What holds in all iterations of a loop if it holds in the first and in the last one. Loops ask
//! it before they begin.

use std::ops::Range;

use super::blocks::count;
use crate::model::judge::Decided;
use crate::model::ranges::Index;
use crate::model::slots::Slots;
use crate::value::DeviceValue;

/// Whether a comparison holds for all indexes of a range. `at` says what the one side is at an
/// index, which grows by 1 from one index to the next, and whether the comparison holds there. The
/// slots are those of what it compares and converts.
#[inline(always)]
pub fn throughout<S: Slots, I: Index, V: DeviceValue>(_: S, range: &Range<I>, at: impl Fn(I) -> (V, bool)) -> bool {
    let Some([(low, first), (high, last)]) = ends::<S, _, _>(range, at) else { return false };
    // Between them is no number where the side wraps.
    let grows = matches!((low.integer(), high.integer()), (Some(low), Some(high)) if low <= high);
    first && last && grows
}

/// The range of a loop, which can be asked before the loop begins.
pub struct Along<'r, I>(&'r Range<I>);

/// Lends the range of a loop to its question.
#[inline(always)]
pub fn along<I>(range: &Range<I>) -> Along<'_, I> {
    Along(range)
}

impl<I: Index> Along<'_, I> {
    /// Whether accesses are in bounds for all indexes of the range. `at` says the indexes of the
    /// accesses, and the lengths of what they index. They grow by 1 from one index of the range to
    /// the next, and are converted at most once on the way, from what the slots say.
    #[inline(always)]
    pub fn inside_in_device_code<S: Slots, const N: usize>(
        self,
        _: S,
        at: impl Fn(I) -> [(usize, usize); N],
    ) -> Decided {
        let Some([first, last]) = ends::<S, _, _>(self.0, at) else { return Decided::NO };
        let distance = count(self.0) - 1;
        // No index wraps between two that are so far apart. A conversion to as many bits or fewer
        // keeps the last bits, so wraps before it do not matter, and a wrap after it would change
        // the distance. A conversion to more bits keeps the number, so a wrap before it would
        // change the distance, by less than what a wrap after it could make up for.
        let holds = |((first, _), (last, len)): ((usize, usize), (usize, usize))| {
            first <= last && last - first == distance && last < len
        };
        Decided::by_loop(first.into_iter().zip(last).all(holds))
    }
}

/// The same for a range that no loop can run over, so that rustc says only that.
pub trait NoLoop<I> {
    /// No.
    fn inside_in_device_code<S, const N: usize>(&self, _: S, _: impl Fn(I) -> [(usize, usize); N]) -> Decided {
        Decided::NO
    }
}
impl<I> NoLoop<I> for Along<'_, I> {}

/// Something of the first and of the last index of a range. None if there are none, or if a slot is
/// not of an integer: then it may be an operator of the user's.
#[inline(always)]
fn ends<S: Slots, I: Index, R>(range: &Range<I>, at: impl Fn(I) -> R) -> Option<[R; 2]> {
    let Range { start, end } = *range;
    (S::integers() && start < end).then(|| [at(start), at(end.before())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inside() {
        let holds = |range: Range<u32>, from: u32| {
            along(&range).inside_in_device_code((), |k| [(k.wrapping_add(from) as usize, 10)]).is_proved()
        };
        assert!(holds(0..10, 0) && holds(3..4, 6) && holds(u32::MAX - 3..u32::MAX, 10));
        assert!(!holds(0..11, 0) && !holds(0..10, 1) && !holds(0..4, u32::MAX - 1));
        // There is nothing to ask, and an end that is not reached.
        assert!(!holds(4..4, 0) && !holds(Range { start: 5, end: 2 }, 0));
        // The first and the last index are 0 and 4, with all numbers of 64 bits between them.
        let far = 0..(1u128 << 64) + 5;
        assert!(!along(&far).inside_in_device_code((), |k| [(k as usize, 10)]).is_proved());
        // All must hold.
        let two =
            |len| along(&(0..3u8)).inside_in_device_code((), |k| [(usize::from(k), 3), (usize::from(k) + 1, len)]);
        assert!(two(4).is_proved() && !two(3).is_proved());
    }
}
