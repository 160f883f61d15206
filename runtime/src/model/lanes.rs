//! What must hold of the types in a loop for it to run in lanes.

use super::slots::Slots;

/// Bytes that the variables of a lane may take.
const ROOM: usize = 4096;

/// What the macro cannot know: rustc infers the types.
#[derive(Debug, Clone, Copy)]
pub struct Conditions {
    /// Slots of operations that fail if they are of integers.
    pub divisions: &'static [usize],
    /// Slots of operations that are understood if they are of integers.
    pub integers: &'static [usize],
    /// Elements: the slot of a variable, the fields that lead to an array in it, with `[]` for an element of one, and the greatest index.
    pub elements: &'static [(usize, &'static [&'static str], u64)],
    /// Slots of variables that each lane keeps.
    pub kept: &'static [usize],
}

impl Conditions {
    /// Whether all of them hold of the types in slots.
    #[inline(always)]
    pub(crate) fn hold<W: Slots>(&self) -> bool {
        self.broken::<W>().is_none()
    }

    /// Why there are no lanes, if a type is the reason.
    #[inline(always)]
    pub(crate) fn broken<W: Slots>(&self) -> Option<&'static str> {
        let is_integer = |slot: &usize| W::integer(*slot).is_some();
        let has =
            |(slot, path, index): &(usize, &[&str], u64)| W::ty(*slot).is_some_and(|ty| ty.has_element(path, *index));
        if !W::total() {
            return Some("it calls a function that branches or can fail");
        }
        if self.divisions.iter().any(is_integer) {
            Some("it divides integers")
        } else if !self.integers.iter().all(is_integer) {
            Some("what looks like an index of integers is none")
        } else if !self.elements.iter().all(has) {
            Some("a check in it is made where it happens")
        } else if self.kept.iter().filter_map(|slot| W::ty(*slot)).map(|ty| ty.layout().0).sum::<usize>() > ROOM {
            Some("its variables are too large")
        } else {
            None
        }
    }
}
