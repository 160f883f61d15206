//! The numbers of a launch, and what is decided from them.

use crate::scalar::IntType;

/// The most variables of a loop, also where some are [taken apart](super::splits).
pub(super) const AXES: usize = 4;

/// The numbers of a launch.
#[derive(Clone, Copy)]
pub struct Numbers<'a> {
    /// Of a phase: the indexes of the block, which its iterations have in common. They come before
    /// the loop variables.
    pub blocks: &'a [Axis],
    /// The loop variables, slowest first.
    pub axes: &'a [Axis],
    /// The host values: the atoms after the loop variables. `None`: no integer, or one that is too
    /// large.
    pub symbols: &'a [Option<i128>],
    /// The type in a slot; `None` where it is no integer.
    pub types: &'a dyn Fn(usize) -> Option<IntType>,
}

/// The values of a loop variable: `lo + step * t` for all `t < trips`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// The first.
    pub lo: i128,
    /// At least 1.
    pub step: i128,
    /// How many there are.
    pub trips: u64,
}

/// How a loop may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Every access that is [decided](crate::facts::Access::decided) here is in bounds.
    Proved {
        /// And 32 bits are enough for index arithmetic, and for the lengths that the device
        /// compares the other indexes with.
        narrow: bool,
    },
    /// With its checks.
    Checked,
}

/// Why a loop must not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// An access that every iteration makes is out of bounds in one.
    OutOfBounds {
        /// Its number.
        access: usize,
        /// The index, or the end of the range, before it wrapped.
        index: i128,
        /// The length of the buffer, of a grid in one dimension.
        len: i128,
        /// That dimension.
        dim: Option<usize>,
    },
    /// Two iterations may touch one element, and one of them writes it. So it is, or nothing shows
    /// that it is not.
    Overlap {
        /// The number of the access that writes.
        first: usize,
        /// The number of the other one; it may be the same.
        second: usize,
    },
    /// The same of two iterations of a phase.
    OverlapInPhase {
        /// Its number.
        phase: usize,
        /// As of a loop.
        first: usize,
        /// As of a loop.
        second: usize,
    },
}
