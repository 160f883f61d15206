//! Lanes: iterations that run in lock step, so that the compiler makes vectors of what they do.
//!
//! Generated code holds a loop twice: one iteration after the other, and [`WIDTH`] at a time. There
//! each variable is an array with a value for each lane, and the statements between two loops are
//! one loop over the lanes. A [`Mask`] says which lanes take part where they differ. All lanes
//! compute what their iterations compute alone, operation by operation, so the results have the
//! same bits.
//!
//! Lanes that take no part compute something too, but it goes nowhere. So in lanes there are only
//! loops in which nothing can fail, which `macros/src/analysis/lanes` knows of what the macro sees,
//! and [`split`] of what rustc and the launch know.

use std::any::Any;
use std::borrow::Borrow;
use std::iter::StepBy;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};

use super::instructions;
use super::places::{Elements, load, whole};
use super::views::DevRef;
use crate::error::Result;
use crate::model::judge::Decided;
use crate::model::kernel::Conditions;
use crate::model::slots::{Callee, ConstantSlot, DeviceFn, Slots, TypeOf, VariantSlot};
use crate::settings::switch;
use crate::value::{DeviceCopy, DeviceValue};

pub use crate::value::WIDTH;

/// For each lane all bits, or none.
pub type Mask = [u32; WIDTH];

/// All lanes.
pub const ALL: Mask = [u32::MAX; WIDTH];

/// Debug builds do not make vectors, so that lanes would only cost time there.
const DEFAULT: bool = !cfg!(debug_assertions);

static ON: AtomicU8 = AtomicU8::new(DEFAULT as u8);

/// Reads the setting.
///
/// # Errors
/// `ANABRANCH_LANES` is neither `on` nor `off`.
pub(super) fn choose() -> Result<()> {
    let on = switch("ANABRANCH_LANES")?.unwrap_or(DEFAULT);
    ON.store(on.into(), Ordering::Relaxed);
    Ok(())
}

/// The trips of a row that run in lanes, from the first of each [`WIDTH`], and the rest of them.
/// There are lanes if the launch has shown that no access fails, and if what is `asked` before
/// holds.
#[inline(always)]
pub fn split(trips: &Range<usize>, decided: Decided, asked: bool) -> (StepBy<Range<usize>>, Range<usize>) {
    let none = trips.start..trips.start;
    if !asked || !decided.is_proved() {
        return (none.step_by(WIDTH), trips.clone());
    }
    let rest = trips.len() % WIDTH;
    let end = trips.end - rest;
    ((trips.start..end).step_by(WIDTH), end..trips.end)
}

/// Whether there are to be lanes, and the types allow it.
#[inline(always)]
pub fn hold<W: Slots>(_: W, conditions: &Conditions) -> bool {
    ON.load(Ordering::Relaxed) != 0 && conditions.hold::<W>()
}

/// The decision of the launch, where there are lanes.
#[inline(always)]
pub fn proved(decided: Decided, asked: bool) -> Option<Decided> {
    decided.proved().filter(|_| asked)
}

/// Runs the blocks of lanes, if there are any. What all lanes have takes room on the stack only
/// here.
#[inline(always)]
pub fn apart<F: FnOnce()>(any: bool, blocks: F) {
    if any {
        instructions::run_lanes(blocks);
    }
}

/// The same in a phase of a block. In a function of its own the variables of the block would have
/// addresses, and the compiler would not know what else points to them.
#[inline(always)]
pub fn within<F: FnOnce()>(any: bool, blocks: F) {
    if any {
        blocks();
    }
}

/// Whether nothing fails that is divided by a value: it is no integer, or neither 0 nor -1.
#[inline(always)]
pub fn divides<T: DeviceValue>(by: T) -> bool {
    !matches!(by.integer(), Some(0 | -1))
}

/// Whether a sum does not wrap on the way from the first lane to the last one.
#[inline(always)]
pub fn ascends<T: DeviceValue>(first: T, last: T) -> bool {
    first.at_most(&last)
}

/// Whether nothing fails that is limited to these two.
#[inline(always)]
pub fn in_order<T: DeviceValue, U: DeviceValue>(low: T, high: U) -> bool {
    (&high as &dyn Any).downcast_ref().is_some_and(|high| low.at_most(high))
}

/// A variable of all lanes, with some values.
#[inline(always)]
pub fn lanes<T: DeviceValue>(_: TypeOf<T>) -> T::Lanes {
    T::sample(0).in_lanes()
}

/// The value of a variable in a lane.
#[inline(always)]
pub fn get<T: DeviceValue>(_: TypeOf<T>, lanes: &T::Lanes, lane: usize) -> T {
    T::of_lane(lanes, lane)
}

/// Makes something the value of a variable in a lane.
#[inline(always)]
pub fn put<T: DeviceValue>(_: TypeOf<T>, lanes: &mut T::Lanes, lane: usize, value: T) {
    value.put_lane(lanes, lane);
}

/// The same if the lane takes part.
#[inline(always)]
pub fn put_if<T: DeviceValue>(mask: u32, of: TypeOf<T>, lanes: &mut T::Lanes, lane: usize, value: T) {
    put(of, lanes, lane, T::select(mask, value, T::of_lane(lanes, lane)));
}

/// The elements of all lanes. `at` has the index of each lane, and the sums that lead to it. If the
/// sums `ascend` from the first lane to the last one, and the indexes are as far apart as these
/// lanes, the elements lie side by side, and are read at once.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "what the closure of `from_fn` borrows leaves the function")]
pub fn window<V: Elements, S>(
    at: impl Fn(usize) -> (usize, S),
    ascend: impl FnOnce(S, S) -> bool,
    decided: Decided,
    view: &V,
) -> [V::Elem; WIDTH] {
    let ((first, low), (last, high)) = (at(0), at(WIDTH - 1));
    let together = ascend(low, high) && last == first.wrapping_add(WIDTH - 1);
    // The loop writes none of the view.
    match whole(view).get(first..).and_then(<[V::Elem]>::first_chunk).filter(|_| together) {
        Some(elements) => *elements,
        None => {
            // What `at` borrows must not leave the function, or else the compiler would keep all of
            // it in memory.
            let mut places = [0; WIDTH];
            for lane in 0..WIDTH {
                places[lane] = at(lane).0;
            }
            scattered(&places, decided, view.read())
        }
    }
}

#[cold]
#[inline(never)]
fn scattered<T: DeviceCopy>(at: &[usize; WIDTH], decided: Decided, view: DevRef<T>) -> [T; WIDTH] {
    at.map(|index| load(index, decided, &view))
}

/// The results of a function for the arguments of all lanes, at once if it has lanes. `one` calls
/// it for a lane.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "the compiler makes vectors of these loops")]
pub fn call<F: DeviceFn, A: Copy + 'static, R: DeviceValue>(
    _: Callee<F>,
    one: impl Fn(usize) -> R,
    args: impl Fn(usize) -> A,
) -> [R; WIDTH] {
    let mut results = [R::sample(0); WIDTH];
    if F::has_lanes() {
        let mut all = [args(0); WIDTH];
        for lane in 1..WIDTH {
            all[lane] = args(lane);
        }
        if F::in_lanes(&all, &mut results) {
            return results;
        }
    }
    for lane in 0..WIDTH {
        results[lane] = one(lane);
    }
    results
}

/// What such a function does with them, if they have its types.
#[inline(always)]
pub fn called<A: 'static, R: 'static>(
    args: &dyn Any,
    results: &mut dyn Any,
    body: impl FnOnce(&[A; WIDTH], &mut [R; WIDTH]),
) -> bool {
    match (args.downcast_ref(), results.downcast_mut()) {
        (Some(args), Some(results)) => {
            body(args, results);
            true
        }
        _ => false,
    }
}

/// Whether the variable of a loop is before its end.
#[inline(always)]
pub fn before<T: DeviceValue>(var: T, end: T) -> bool {
    !end.at_most(&var)
}

/// Bytes of an element that lanes hold. Larger ones are read again where they are used.
const HELD: usize = 64;

/// The elements of all lanes, or parts of them.
#[derive(Debug)]
pub struct Own<'v, T: DeviceValue, E, I, P> {
    elements: &'v [E],
    at: I,
    part: P,
    held: Option<T::Lanes>,
}

/// Reads the elements whose indexes `at` has. In the place of those that are not there is some
/// value, which nobody uses: the launch has shown that elements are there only where they are used.
#[inline(always)]
pub fn own<V: Elements, T: DeviceValue, I: Fn(usize) -> usize, P: Fn(&V::Elem) -> T>(
    view: &V,
    at: I,
    part: P,
) -> Own<'_, T, V::Elem, I, P> {
    // The loop writes none of the view.
    let mut own = Own { elements: whole(view), at, part, held: None };
    if size_of::<T>() <= HELD {
        let mut lanes = T::sample(0).in_lanes();
        for lane in 0..WIDTH {
            own.get(lane).put_lane(&mut lanes, lane);
        }
        own.held = Some(lanes);
    }
    own
}

impl<T: DeviceValue, E, I: Fn(usize) -> usize, P: Fn(&E) -> T> Own<'_, T, E, I, P> {
    /// That of a lane.
    #[inline(always)]
    fn get(&self, lane: usize) -> T {
        match (&self.held, self.elements.get((self.at)(lane))) {
            (Some(lanes), _) => T::of_lane(lanes, lane),
            (None, Some(element)) => (self.part)(element),
            (None, None) => T::sample(0),
        }
    }
}

/// The element of a lane.
#[inline(always)]
pub fn own_of<T: DeviceValue, E, I: Fn(usize) -> usize, P: Fn(&E) -> T>(own: &Own<'_, T, E, I, P>, lane: usize) -> T {
    own.get(lane)
}

/// The mask of a lane in which something holds.
#[inline(always)]
pub fn mask(holds: bool) -> u32 {
    u32::from(holds).wrapping_neg()
}

/// One value where the mask is set, else the other one.
#[inline(always)]
pub fn select<T: DeviceValue>(mask: u32, set: T, other: T) -> T {
    T::select(mask, set, other)
}

/// Whether some lane takes part.
#[inline(always)]
pub fn any(mask: &Mask) -> bool {
    mask.iter().fold(0, |all, lane| all | lane) != 0
}

/// Ends the part of some lanes.
#[inline(always)]
pub fn clear(mask: &mut Mask, lanes: &Mask) {
    mask.iter_mut().zip(lanes).for_each(|(mask, lane)| *mask &= !lane);
}

/// The constant of a slot that the iterations one by one have filled in.
#[inline(always)]
pub fn constant_again<T, F>(_: ConstantSlot<T, F>, value: T) -> T {
    value
}

/// The same where it is only read.
#[inline(always)]
pub fn constant_place_again<T, F>(_: ConstantSlot<T, F>, place: &impl Borrow<T>) -> &T {
    place.borrow()
}

/// A literal of a struct or variant whose slot they have filled in.
#[inline(always)]
pub fn made_again<T: DeviceValue, F>(_: VariantSlot<T::Same, F>, value: T) -> T::Same {
    value.same()
}
