//! What the threads of a block touch at once of the arrays that they share, as constant data.

pub use anabranch_core::banks::Op;

/// A number in postfix order; empty if it is unknown.
pub(crate) type Number = &'static [Op];

/// What a phase does to shared arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touches {
    /// The number of its iterations along each dimension.
    pub counts: &'static [Number],
    /// The numbers that threads have in common: from 0, so many. Empty: any number.
    pub common: &'static [Number],
    /// The accesses, in source order.
    pub touches: &'static [Touch],
}

/// An access to a shared array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touch {
    /// The array, by its place in [`Blocks::shared`](super::kernel::Blocks::shared).
    pub array: usize,
    /// As the user wrote it.
    pub access: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// It writes, and maybe reads before.
    pub write: bool,
    /// From the array to what is touched; `None` if that is something behind a reference.
    pub path: Option<&'static [PathStep]>,
    /// None of them is 0 where a thread makes the access.
    pub conditions: &'static [Number],
}

/// A step from a value to a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathStep {
    /// To an element of an array, or to what an operator of a user type finds.
    Element(Number),
    /// To a field.
    Field(&'static str),
}
