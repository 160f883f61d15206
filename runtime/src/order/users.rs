//! Which graphs use a block of memory.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::error::{Error, Result};

/// What graphs, and captures in progress, do with a block of memory.
#[derive(Debug, Default)]
pub(crate) struct GraphUsers {
    /// Uses of graphs, and of captures in progress.
    owners: AtomicUsize,
    /// The capture in progress that writes the block, or 0. Until it ends, nothing else may use the block: it does not yet hold what the
    /// program has "written" before.
    writer: AtomicU64,
}

impl GraphUsers {
    /// A graph uses the block from now on.
    pub(crate) fn add_owner(&self) {
        // The borrow that it is captured under makes everybody see this who could come into conflict with the graph.
        self.owners.fetch_add(1, Ordering::Relaxed);
    }

    /// A graph no longer uses the block.
    pub(crate) fn remove_owner(&self) {
        // Release: pairs with the Acquire in `is_shared`; a thread that sees no owners sees all effects of past launches.
        self.owners.fetch_sub(1, Ordering::Release);
    }

    /// Whether a launch or a copy has to take turns with graphs. A graph that another thread captures from now on cannot conflict with
    /// it: what the launch uses is borrowed until it ends.
    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        self.owners.load(Ordering::Acquire) > 0
    }

    /// Capture `id` writes the block, if no other one does.
    pub(crate) fn claim(&self, id: u64) -> bool {
        match self.writer.compare_exchange(0, id, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => true,
            Err(holder) => holder == id,
        }
    }

    /// Whether no capture but `id` writes the block.
    pub(crate) fn is_free_for(&self, id: u64) -> bool {
        [0, id].contains(&self.writer.load(Ordering::Relaxed))
    }

    /// Capture `id` has ended.
    pub(crate) fn release(&self, id: u64) {
        let _ = self.writer.compare_exchange(id, 0, Ordering::Relaxed, Ordering::Relaxed); // of another capture: stays
    }

    /// Fails while a capture writes the block.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_free_for(0) { Ok(()) } else { Err(Error::BufferCaptured) }
    }
}
