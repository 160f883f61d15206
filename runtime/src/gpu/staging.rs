//! Page-locked host memory of the runtime itself, for copies that go through the host.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Gpu;
use super::deferred::DeferredFree;
use super::driver::{Failure, RawHost};
use super::event::PooledEvent;
use crate::error::{Error, Result};

/// What is kept for later copies, in bytes. Larger blocks are freed after their copy.
const MOST_KEPT: usize = 64 << 20;
/// The smallest block, so that small copies of different lengths share blocks.
const LEAST: usize = 64 << 10;

/// The blocks of one device that no copy holds. A copy in progress may still use them: each has the event after its last copy.
///
/// A copy takes a block, queues its work, and gives it back with an event of this device that is behind all of that work. So the
/// host never waits, and in steady state nothing is allocated.
#[derive(Debug, Default)]
pub(super) struct Staging {
    blocks: Mutex<Vec<(Block, Arc<PooledEvent>)>>,
}

/// A block that a copy holds. It is [given back](Gpu::give_back_staging), or dropped once no copy uses it any more.
#[derive(Debug)]
pub(super) struct Block {
    memory: RawHost,
    bytes: usize,
}

impl Block {
    /// The address of a byte, which must be inside.
    pub(super) fn at(&self, offset: usize) -> *mut u8 {
        self.memory.start().wrapping_add(offset)
    }
}

impl Gpu {
    fn staging(&self) -> MutexGuard<'_, Vec<(Block, Arc<PooledEvent>)>> {
        self.staging.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A block of at least so many bytes, with any content. The context must be current.
    pub(super) fn take_staging(&self, bytes: usize) -> Result<Block> {
        let idle = {
            let mut blocks = self.staging();
            let fits =
                |(block, last): &(Block, Arc<PooledEvent>)| block.bytes >= bytes && last.is_complete().unwrap_or(false);
            let smallest = (0..blocks.len()).filter(|&at| fits(&blocks[at])).min_by_key(|&at| blocks[at].0.bytes);
            smallest.map(|at| blocks.swap_remove(at).0)
        };
        if let Some(block) = idle {
            return Ok(block);
        }
        let bytes = bytes.max(LEAST).checked_next_power_of_two().unwrap_or(bytes);
        self.free_deferred();
        let mut result = self.driver().allocate_host(bytes, false);
        if result.is_err_and(Failure::is_out_of_memory) {
            self.discard_staging();
            self.free_all_deferred();
            result = self.driver().allocate_host(bytes, false);
        }
        let (memory, _) = result.map_err(|failure| match failure.is_out_of_memory() {
            true => Error::OutOfHostMemory { requested: bytes, operation: None },
            false => self.context.error(failure),
        })?;
        Ok(Block { memory, bytes })
    }

    /// Takes a block back. Once `last` is complete, nothing uses it.
    pub(super) fn give_back_staging(&self, block: Block, last: PooledEvent) {
        let (mut blocks, last) = (self.staging(), Arc::new(last));
        if blocks.iter().map(|(kept, _)| kept.bytes).sum::<usize>() + block.bytes <= MOST_KEPT {
            blocks.push((block, last));
        } else {
            drop(blocks);
            self.free_later(DeferredFree::host(block.memory, vec![last]));
        }
    }

    /// Takes a block back that nothing uses.
    pub(super) fn discard_block(&self, block: Block) {
        self.free_later(DeferredFree::host(block.memory, Vec::new()));
    }

    /// Leaves all blocks to be freed once their copies are complete.
    pub(super) fn discard_staging(&self) {
        let blocks = std::mem::take(&mut *self.staging());
        for (block, last) in blocks {
            self.free_later(DeferredFree::host(block.memory, vec![last]));
        }
    }
}
