//! The graphs that use a block of memory.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::error::{Error, Result};

/// How graphs, and captures in progress, use a block of memory.
#[derive(Debug, Default)]
pub(crate) struct GraphUsers {
    /// Number of uses by graphs and by captures in progress.
    owners: AtomicUsize,
    /// The capture in progress that writes the block, or 0. Until it ends, nothing else may use the
    /// block, because the block does not contain the results of the captured work yet.
    writer: AtomicU64,
}

impl GraphUsers {
    /// Adds a use by a graph.
    pub(crate) fn add_owner(&self) {
        // Relaxed: every thread that could conflict with the graph sees this, because the work was
        // captured under a borrow of the buffer.
        self.owners.fetch_add(1, Ordering::Relaxed);
    }

    /// Removes a use by a graph.
    pub(crate) fn remove_owner(&self) {
        // Release: pairs with the Acquire in `is_shared`; a thread that sees no owners sees all
        // effects of past launches.
        self.owners.fetch_sub(1, Ordering::Release);
    }

    /// Whether a launch or a copy must take the graph lock. A graph that another thread captures
    /// from now on cannot conflict with the launch or copy, because its buffers are borrowed until
    /// it ends. Two parts of a grid may have different bytes in ranges that overlap; the list of
    /// hazards handles that.
    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        self.owners.load(Ordering::Acquire) > 0
    }

    /// Makes capture `id` the writer of the block, unless another capture writes it.
    pub(crate) fn claim(&self, id: u64) -> bool {
        match self.writer.compare_exchange(0, id, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => true,
            Err(holder) => holder == id,
        }
    }

    /// Whether no capture other than `id` writes the block.
    pub(crate) fn is_free_for(&self, id: u64) -> bool {
        [0, id].contains(&self.writer.load(Ordering::Relaxed))
    }

    /// To be called when capture `id` has ended.
    pub(crate) fn release(&self, id: u64) {
        let _ = self.writer.compare_exchange(id, 0, Ordering::Relaxed, Ordering::Relaxed); // another capture remains
    }

    /// Fails if a capture in progress writes the block.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_free_for(0) { Ok(()) } else { Err(Error::BufferCaptured { operation: None }) }
    }
}
