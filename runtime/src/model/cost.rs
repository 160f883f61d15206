//! The cost of an iteration on the CPU: its time, so that small loops are not distributed over
//! threads, and the size of its values.

use std::sync::atomic::AtomicU64;

/// A static estimate and the time of the last measured run.
#[derive(Debug)]
pub struct Cost {
    /// Operations per iteration, about a nanosecond each.
    pub operations: u32,
    /// The body has a loop of unknown length, or calls a device function.
    pub unbounded: bool,
    /// Picoseconds per iteration in the last measured run; 0 if not measured yet. This is only a
    /// hint, so races are harmless.
    pub measured: AtomicU64,
    /// The size of the values of one instance of the loop, which `cpu::stack` reads and writes; 0
    /// if not known yet.
    pub values: AtomicU64,
}

impl Cost {
    /// A cost that has not been measured yet.
    pub const fn new(operations: u32, unbounded: bool) -> Self {
        Self { operations, unbounded, measured: AtomicU64::new(0), values: AtomicU64::new(0) }
    }
}
