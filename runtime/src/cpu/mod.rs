//! The CPU device: kernels as native Rust on `rayon`.
//!
//! | file | what it knows |
//! |---|---|
//! | `memory` | host memory that buffers live in |
//! | `work` | recorded loops and forks, and when they are worth waking threads for |
//! | `panic` | failed checks of device code as errors, without the panic hook |
//! | `views`, `places` | slices as device code sees them, and their elements |
//! | `ops`, `atomics` | operators, methods and atomic operations, as generated code calls them |
//!
//! A launch has finished when it returns; streams and events exist so that one source serves both kinds of device.

pub(crate) mod atomics;
pub(crate) mod memory;
pub(crate) mod ops;
pub(crate) mod panic;
pub(crate) mod places;
pub(crate) mod views;
pub(crate) mod work;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::order::graph_lock::GraphLock;
use crate::order::reports::{Reports, Written};

/// The CPU as a device.
#[derive(Debug, Default)]
pub(crate) struct Cpu {
    /// Keeps graphs apart from what else uses its memory.
    pub(crate) graph_lock: GraphLock,
    /// The first panic of device code that nobody was told yet.
    failed: Mutex<Option<Error>>,
    /// Whether there is one, so that asking costs a load. Changed by who holds it.
    has_failed: AtomicBool,
    /// Those that were told.
    pub(crate) reports: Arc<Reports>,
}

impl Cpu {
    /// Keeps a panic until somebody asks, unless an earlier one waits already.
    pub(crate) fn set_panic(&self, error: Error) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.get_or_insert(error);
        self.has_failed.store(true, Ordering::Release);
    }

    /// Reports a panic of device code, or one that another thread was told of before; for a call that reads a block of memory, or none.
    pub(crate) fn take_panic(&self, reads: Option<&Written>) -> Result<()> {
        if self.has_failed.load(Ordering::Acquire) {
            let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(error) = failed.take() {
                return Err(self.reports.take(error, || {
                    self.has_failed.store(false, Ordering::Release);
                    Ok(())
                }));
            }
        }
        self.reports.check(reads)
    }
}
