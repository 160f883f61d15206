//! Stacks for loops with large values.
//!
//! Values of device code are on the stack. Unoptimized code keeps several copies of each, so an
//! array that is small for a GPU can fill the stack of a thread, and Rust then ends the process
//! without naming the loop. The description of a loop says how large its values are. If they may
//! need more than [`USUAL`], each chunk of the loop runs on a thread with a stack of its own.

use std::io;
use std::sync::atomic::Ordering;
use std::thread;

use crate::codegen;
use crate::model::cost::Cost;
use crate::model::slots::Slots;

/// The copies of a value that unoptimized code may keep.
const COPIES: usize = 12;
/// What a loop may use of the stack of any thread. The threads of std and `rayon` have 2 MiB.
const USUAL: usize = 1 << 20;
/// The largest stack. A loop that may need more is an error of the launch.
const MOST: usize = 4 << 30;
/// What a chunk needs besides its values, also to format a message and to unwind.
const REST: usize = 1 << 20;
/// The unit in which a size is kept.
const UNIT: usize = 1 << 10;

/// The size of a loop's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stack {
    values: usize,
}

impl Stack {
    /// For a loop without large values.
    #[cfg(test)]
    pub(crate) const SMALL: Self = Self { values: 0 };

    /// For the instance of a loop that has these slots. The size is computed once, unless launches
    /// of several instances take turns.
    #[inline]
    pub(crate) fn of<W: Slots>(cost: &Cost) -> Self {
        // Instances with one function `describe` have the same types. Functions that are not 32 GiB
        // apart differ in these bits.
        let instance = (W::describe as *const ()).addr() as u64 >> 3 << 32 | 1 << 32;
        // Relaxed: the value says all.
        let known = cost.values.load(Ordering::Relaxed);
        if known & !u64::from(u32::MAX) == instance {
            return Self { values: known as u32 as usize * UNIT };
        }
        Self::computed::<W>(cost, instance)
    }

    #[cold]
    fn computed<W: Slots>(cost: &Cost, instance: u64) -> Self {
        let mut slots = Vec::new();
        W::describe(&mut slots);
        let units = u32::try_from(codegen::bytes_of_values(&slots).div_ceil(UNIT)).unwrap_or(u32::MAX);
        cost.values.store(instance | u64::from(units), Ordering::Relaxed);
        Self { values: units as usize * UNIT }
    }

    fn bytes(self) -> usize {
        self.values.saturating_mul(COPIES)
    }

    /// Whether no stack is large enough.
    #[inline]
    pub(crate) fn is_too_large(self) -> bool {
        self.bytes() > MOST
    }

    /// The bytes of the values, and the most that they may have.
    pub(crate) fn values_and_most(self) -> (usize, usize) {
        (self.values, MOST / COPIES)
    }

    /// Whether the stack of any thread is large enough.
    #[inline]
    pub(crate) fn is_usual(self) -> bool {
        self.bytes() <= USUAL
    }

    /// Runs something on a new thread, whose stack is large enough. Fails if there is no such
    /// thread.
    pub(crate) fn run<R: Send>(self, run: impl FnOnce() -> R + Send) -> io::Result<R> {
        thread::scope(|scope| {
            let thread = thread::Builder::new().stack_size(self.bytes() + REST).spawn_scoped(scope, run)?;
            Ok(thread.join().unwrap_or_else(|payload| std::panic::resume_unwind(payload)))
        })
    }
}
