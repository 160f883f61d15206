//! What an iteration of a loop costs on the CPU, so that small work is not spread over threads.

use std::sync::atomic::AtomicU64;

/// Static estimate and, for loops whose length the macro cannot know, the time of the last run.
#[derive(Debug)]
pub struct Cost {
    /// Operations an iteration, about a nanosecond each.
    pub operations: u32,
    /// The body has a loop of unknown length, or calls a device function.
    pub unbounded: bool,
    /// Picoseconds an iteration took in the last measured run; 0: not yet measured. Only a hint: races are harmless.
    pub measured: AtomicU64,
}

impl Cost {
    /// A cost that has not been measured yet.
    pub const fn new(operations: u32, unbounded: bool) -> Self {
        Self { operations, unbounded, measured: AtomicU64::new(0) }
    }
}
