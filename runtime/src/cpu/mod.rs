//! The CPU backend: kernels as native Rust on `rayon`.
//!
//! | file | contents |
//! |---|---|
//! | `memory`, `host_memory` | the memory of buffers, and how much of it the machine has |
//! | `instructions`, `lanes` | the choice of an instruction set, and iterations in lock step |
//! | `work` | recorded loops and forks, and the decision how many threads to use |
//! | `stack` | stacks for loops with large values |
//! | `team` | how several threads run the parts of a launch |
//! | `panic` | failed checks of device code as errors, without the panic hook |
//! | `views`, `places` | the slices of device code, and their elements |
//! | `format` | printing macros, and messages with values |
//! | `grids` | the same with several dimensions |
//! | `ops`, `atomics` | operators, methods and atomic operations, as generated code calls them |
//! | `loops` | what loops ask before they begin |
//! | `blocks`, `collectives`, `warps` | blocks of threads, and what all threads or each warp compute |
//! | `block_atomics` | arrays of atomics that the threads of a block share |
//!
//! A launch is complete when it returns. Streams and events exist so that the same source works on
//! both kinds of device.

pub(crate) mod atomics;
pub(crate) mod block_atomics;
pub(crate) mod blocks;
pub(crate) mod collectives;
pub(crate) mod format;
pub(crate) mod grids;
pub(crate) mod host_memory;
pub(crate) mod instructions;
pub(crate) mod lanes;
pub(crate) mod loops;
pub(crate) mod memory;
pub(crate) mod ops;
pub(crate) mod panic;
pub(crate) mod places;
pub(crate) mod stack;
pub(crate) mod team;
pub(crate) mod views;
pub(crate) mod warps;
pub(crate) mod work;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::error::{Error, Result};
use crate::lock::Lock;
use crate::order::graph_lock::GraphLock;
use crate::order::reports::{Reports, Written};
use crate::order::sources::Source;
use crate::trace::Recorder;

/// The CPU as a device.
#[derive(Debug)]
pub(crate) struct Cpu {
    /// Counts the CPU devices of the process, from 1, so that errors tell them apart.
    number: usize,
    /// Separates launches of graphs from other work with the same memory.
    pub(crate) graph_lock: GraphLock,
    /// The first panic of device code that has not been reported yet.
    failed: Lock<Option<Error>>,
    /// Whether there is a panic, so that a query costs one load. Modified only by the holder of the
    /// lock of `failed`.
    has_failed: AtomicBool,
    /// The panics that were reported.
    pub(crate) reports: Arc<Reports>,
    /// What is recorded while the device is traced.
    pub(crate) trace: Arc<Recorder>,
}

impl Default for Cpu {
    fn default() -> Self {
        static CREATED: AtomicUsize = AtomicUsize::new(0);
        Self {
            number: CREATED.fetch_add(1, Ordering::Relaxed).wrapping_add(1),
            graph_lock: GraphLock::default(),
            failed: Lock::default(),
            has_failed: AtomicBool::default(),
            reports: Arc::default(),
            trace: crate::trace::recorder_of_cpu(),
        }
    }
}

impl fmt::Display for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = rayon::current_num_threads();
        match self.number {
            1 => write!(f, "the CPU ({threads} threads)"),
            number => write!(f, "CPU device {number} ({threads} threads)"),
        }
    }
}

impl Cpu {
    /// Keeps a panic until it is reported, unless there is an earlier one.
    pub(crate) fn set_panic(&self, error: Error) {
        let mut failed = self.failed.lock();
        failed.get_or_insert(error);
        self.has_failed.store(true, Ordering::Release);
    }

    /// Fails with a panic of device code, or with one that another thread has taken. `reads` is the
    /// block of memory that the caller reads, if any.
    pub(crate) fn take_panic(&self, reads: Option<&Written>) -> Result<()> {
        self.own_panic()?;
        if self.reports.has_sources() {
            self.reports.take_from_sources()?;
        }
        self.reports.check(reads)
    }

    fn own_panic(&self) -> Result<()> {
        if self.has_failed.load(Ordering::Acquire) {
            let mut failed = self.failed.lock();
            if let Some(error) = failed.take() {
                let taken = self.reports.take(error.into(), || {
                    self.has_failed.store(false, Ordering::Release);
                    Ok(())
                });
                return Err(taken?.tell(|| None)); // it has its message
            }
        }
        Ok(())
    }
}

impl Source for Cpu {
    fn take_panic(&self) -> Result<()> {
        self.own_panic()
    }
}

impl Drop for Cpu {
    /// Leaves a panic that nobody has taken to the devices that have copied data from here.
    fn drop(&mut self) {
        if let Some(error) = self.failed.get_mut().take() {
            self.reports.leave(&error.into());
        }
        crate::trace::closed();
    }
}
