//! Whether anything in a body can fail, as far as the types decide it that rustc infers.

/// What must hold of the types in a body for nothing in it to fail, apart from the accesses that a
/// launch decides, and from what the functions do that it calls.
#[derive(Debug, Clone, Copy)]
pub struct Infallible {
    /// Slots of operations that fail if they are of integers.
    pub divisions: &'static [usize],
    /// Elements of arrays: the slot of the index operator, and the greatest index.
    pub elements: &'static [(usize, u64)],
}

/// The types in the slots of a body.
pub(crate) trait Types {
    /// Whether a slot holds a type of integers.
    fn is_integer(&self, slot: usize) -> bool;
    /// The number of elements of the array whose index operator is in a slot; of a user type none.
    fn array_len(&self, slot: usize) -> Option<usize>;
}

impl Infallible {
    #[inline(always)]
    pub(super) fn divides_integers(&self, slots: &(impl Types + ?Sized)) -> bool {
        self.divisions.iter().any(|slot| slots.is_integer(*slot))
    }

    #[inline(always)]
    pub(super) fn has_elements(&self, slots: &(impl Types + ?Sized)) -> bool {
        // The operator of a user type is a function that is called.
        let has = |(slot, index): &(usize, u64)| slots.array_len(*slot).is_none_or(|len| *index < len as u64);
        self.elements.iter().all(has)
    }

    /// Whether it holds.
    pub(crate) fn holds(&self, slots: &(impl Types + ?Sized)) -> bool {
        !self.divides_integers(slots) && self.has_elements(slots)
    }
}
