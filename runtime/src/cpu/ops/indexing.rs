//! `base[index]` of arrays, and of user types whose `impl` of the operator has `#[device]`.

use super::operators::{IndexMutSlot, IndexSlot, operator};
use crate::cpu::places::at;
use crate::model::description::SlotValue;
use crate::value::DeviceValue;

/// `self[index]` for reading.
#[diagnostic::on_unimplemented(
    message = "device code cannot index `{Self}` with `{I}`",
    note = "put `#[device]` above your `impl Index`, too"
)]
pub trait Indexing<I> {
    /// The type of the part.
    type Output;
    /// As [`Slots::DEPTH`](crate::model::slots::Slots::DEPTH).
    const DEPTH: usize = 0;
    /// As [`Slots::total`](crate::model::slots::Slots::total).
    #[inline(always)]
    fn total() -> bool {
        Self::DEPTH == 0
    }
    /// What the slot holds: the type of an array, or a device function.
    fn called() -> SlotValue;
    /// The number of elements, if it is an array.
    #[inline(always)]
    fn array_len() -> Option<usize> {
        None
    }
    /// The part.
    fn part(&self, index: I) -> &Self::Output;
    /// Fails where an array has no such element. An operator of the user's is not called.
    #[inline(always)]
    fn check(&self, _: I) {}
}

/// `self[index]` for writing.
pub trait IndexingMut<I>: Indexing<I> {
    /// As [`Slots::DEPTH`](crate::model::slots::Slots::DEPTH).
    const DEPTH: usize = 0;
    /// As [`Slots::total`](crate::model::slots::Slots::total).
    #[inline(always)]
    fn total() -> bool {
        <Self as IndexingMut<I>>::DEPTH == 0
    }
    /// As of [`Indexing`].
    fn called() -> SlotValue;
    /// The part.
    fn part_mut(&mut self, index: I) -> &mut Self::Output;
}

#[diagnostic::do_not_recommend]
impl<T: DeviceValue, const N: usize> Indexing<usize> for [T; N] {
    type Output = T;
    fn called() -> SlotValue {
        SlotValue::Type(Self::TYPE)
    }
    #[inline(always)]
    fn array_len() -> Option<usize> {
        Some(N)
    }
    #[inline(always)]
    #[track_caller]
    fn part(&self, index: usize) -> &T {
        &self[at(index)]
    }
    #[inline(always)]
    #[track_caller]
    fn check(&self, index: usize) {
        let _ = self.part(index);
    }
}
#[diagnostic::do_not_recommend]
impl<T: DeviceValue, const N: usize> IndexingMut<usize> for [T; N] {
    fn called() -> SlotValue {
        SlotValue::Type(Self::TYPE)
    }
    #[inline(always)]
    #[track_caller]
    fn part_mut(&mut self, index: usize) -> &mut T {
        &mut self[at(index)]
    }
}

/// What is indexed for reading, and the index.
#[derive(Debug)]
pub struct Element<'a, B, I>(pub &'a B, pub I);

impl<'a, B: Indexing<I>, I> Element<'a, B, I> {
    /// The operator.
    #[inline(always)]
    #[track_caller]
    pub fn index_in_device_code(self, _: IndexSlot<operator::Index, B, I>) -> &'a B::Output {
        self.0.part(self.1)
    }
}

/// What is indexed for writing, and the index.
#[derive(Debug)]
pub struct ElementMut<'a, B, I>(pub &'a mut B, pub I);

impl<'a, B: IndexingMut<I>, I> ElementMut<'a, B, I> {
    /// The operator.
    #[inline(always)]
    #[track_caller]
    pub fn index_mut_in_device_code(self, _: IndexMutSlot<operator::IndexMut, B, I>) -> &'a mut B::Output {
        self.0.part_mut(self.1)
    }

    /// The check of an array's index alone.
    #[inline(always)]
    #[track_caller]
    pub fn check_in_device_code(self, _: IndexMutSlot<operator::IndexMut, B, I>) {
        self.0.check(self.1);
    }
}

/// Exists only for its error message.
#[diagnostic::on_unimplemented(
    message = "device code cannot index `{B}` with `{I}`",
    label = "no index operator of device code",
    note = "arrays are indexed with `usize`: convert with `as usize`",
    note = "a value of each thread, from `block.each`, has no index: write its name alone",
    note = "for a type of your own, put `#[device]` above its `impl Index`, and above its `impl IndexMut` to write"
)]
pub trait Missing<B, I> {
    /// Has no meaning.
    type Output;
}

/// Exists only for its error message.
pub trait NoElement<B, I>: Sized {
    /// Cannot be called.
    fn index_in_device_code<S>(self, _: S) -> &'static <() as Missing<B, I>>::Output
    where
        (): Missing<B, I>,
    {
        unreachable!("nothing has this operator")
    }
}
impl<B, I> NoElement<B, I> for Element<'_, B, I> {}

/// Exists only for its error message.
pub trait NoElementMut<B, I>: Sized {
    /// Cannot be called.
    fn index_mut_in_device_code<S>(self, _: S) -> &'static mut <() as Missing<B, I>>::Output
    where
        (): Missing<B, I>,
    {
        unreachable!("nothing has this operator")
    }
}
impl<B, I> NoElementMut<B, I> for ElementMut<'_, B, I> {}
