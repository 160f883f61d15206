//! What must hold of the types in a loop for it to run in lanes.

use super::kernel::Conditions;
use super::slots::Slots;

impl Conditions {
    /// Whether all of them hold of the types in slots.
    #[inline(always)]
    pub(crate) fn hold<W: Slots>(&self) -> bool {
        self.broken::<W>().is_none()
    }

    /// The bytes that variables and calls take for each lane.
    #[inline(always)]
    pub(crate) fn room<W: Slots>(&self) -> usize {
        self.kept.iter().chain(self.calls).filter_map(|slot| W::room(*slot)).sum()
    }

    /// Why there are no lanes, if a type is the reason.
    #[inline(always)]
    pub(crate) fn broken<W: Slots>(&self) -> Option<&'static str> {
        let is_integer = |slot: &usize| W::integer(*slot).is_some();
        let has =
            |(slot, path, index): &(usize, &[&str], u64)| W::ty(*slot).is_some_and(|ty| ty.has_element(path, *index));
        let in_lanes = self.calls.iter().filter(|slot| W::in_lanes(**slot) == Some(true)).count();
        if !self.looped && in_lanes == 0 {
            return Some("it has no long loop in it");
        }
        if W::partial(self.within.0, self.within.1) != in_lanes {
            return Some("it calls a function that branches or can fail");
        }
        if !self.methods.iter().all(|slot| W::keeps(*slot) == Some(true)) {
            return Some("a method changes a variable");
        }
        if self.divisions.iter().any(is_integer) {
            Some("it divides integers")
        } else if !self.integers.iter().all(is_integer) {
            Some("what looks like an index of integers is none")
        } else if !self.elements.iter().all(has) {
            Some("a check in it is made where it happens")
        } else if self.room::<W>() > self.most {
            Some("its variables are too large")
        } else {
            None
        }
    }
}
