//! What must hold of the types in a loop for it to run in lanes.

use std::marker::PhantomData;

use super::infallible::Types;
use super::kernel::Conditions;
use super::slots::{SlotLanes, Slots};

impl Conditions {
    /// Whether all of them hold of the types in slots. The compiler decides this.
    #[inline(always)]
    pub(crate) fn hold<W: Slots>(&self) -> bool {
        self.broken_by(&Inferred::<W>(PhantomData)).is_none()
    }

    /// The bytes that variables and calls take for each lane.
    #[inline(always)]
    pub(crate) fn room<W: Slots>(&self) -> usize {
        self.room_in(&Inferred::<W>(PhantomData))
    }

    /// Why there are no lanes, if a type is the reason. It is for plans, and takes values, so that
    /// rustc does not compile it for each loop.
    pub(crate) fn broken(&self, slots: &[SlotLanes]) -> Option<&'static str> {
        self.broken_by(slots)
    }

    #[inline(always)]
    fn room_in(&self, slots: &(impl Lanes + ?Sized)) -> usize {
        self.kept.iter().chain(self.calls).filter_map(|slot| slots.room(*slot)).sum()
    }

    #[inline(always)]
    fn broken_by(&self, slots: &(impl Lanes + ?Sized)) -> Option<&'static str> {
        let is_integer = |slot: &usize| slots.is_integer(*slot);
        let in_lanes = self.calls.iter().filter(|slot| slots.in_lanes(**slot)).count();
        if !self.looped && in_lanes == 0 {
            return Some("it has no long loop in it");
        }
        if slots.partial(self.within.0, self.within.1) != in_lanes {
            return Some("it calls a function that branches or can fail");
        }
        if !self.methods.iter().all(|slot| slots.keeps(*slot)) {
            return Some("a method changes a variable");
        }
        if self.infallible.divides_integers(slots) {
            Some("it divides integers")
        } else if !self.integers.iter().all(is_integer) {
            Some("what looks like an index of integers is none")
        } else if !self.infallible.has_elements(slots) {
            Some("a check in it is made where it happens")
        } else if self.room_in(slots) > self.most {
            Some("its variables are too large")
        } else {
            None
        }
    }
}

/// What the conditions need of the slots of a loop.
trait Lanes: Types {
    /// [`Slots::in_lanes`]
    fn in_lanes(&self, slot: usize) -> bool;
    /// [`Slots::keeps`]
    fn keeps(&self, slot: usize) -> bool;
    /// [`Slots::room`]
    fn room(&self, slot: usize) -> Option<usize>;
    /// [`Slots::partial`]
    fn partial(&self, from: usize, to: usize) -> usize;
}

/// The slots as a type, for the compiler.
struct Inferred<W>(PhantomData<W>);

impl<W: Slots> Types for Inferred<W> {
    #[inline(always)]
    fn is_integer(&self, slot: usize) -> bool {
        W::integer(slot).is_some()
    }
    #[inline(always)]
    fn array_len(&self, slot: usize) -> Option<usize> {
        W::array_len(slot)
    }
}

impl<W: Slots> Lanes for Inferred<W> {
    #[inline(always)]
    fn in_lanes(&self, slot: usize) -> bool {
        W::in_lanes(slot) == Some(true)
    }
    #[inline(always)]
    fn keeps(&self, slot: usize) -> bool {
        W::keeps(slot) == Some(true)
    }
    #[inline(always)]
    fn room(&self, slot: usize) -> Option<usize> {
        W::room(slot)
    }
    #[inline(always)]
    fn partial(&self, from: usize, to: usize) -> usize {
        W::partial(from, to)
    }
}

impl Types for [SlotLanes] {
    fn is_integer(&self, slot: usize) -> bool {
        self.get(slot).is_some_and(|slot| slot.is_integer)
    }
    fn array_len(&self, slot: usize) -> Option<usize> {
        self.get(slot)?.array_len
    }
}

impl Lanes for [SlotLanes] {
    fn in_lanes(&self, slot: usize) -> bool {
        self.get(slot).is_some_and(|slot| slot.in_lanes)
    }
    fn keeps(&self, slot: usize) -> bool {
        self.get(slot).is_some_and(|slot| slot.keeps)
    }
    fn room(&self, slot: usize) -> Option<usize> {
        self.get(slot)?.room
    }
    fn partial(&self, from: usize, to: usize) -> usize {
        self.iter().take(to).skip(from).filter(|slot| slot.is_partial).count()
    }
}
