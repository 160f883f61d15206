//! Page-locked host memory of the runtime itself, for copies that go through the host.

#![allow(unsafe_code, reason = "copies through the host")]

use std::mem::MaybeUninit;
use std::sync::{Arc, MutexGuard};

use super::Gpu;
use super::deferred::DeferredFree;
use super::driver::{Failure, RawHost, Unrestricted};
use super::event::PooledEvent;
use super::stream::StreamCore;
use super::wait::Wait;
use crate::error::{Error, Result};
use crate::lock::Lock;

/// What is kept for later copies, in bytes. Larger blocks are freed after their copy.
const MOST_KEPT: usize = 64 << 20;
/// The smallest block, so that small copies of different lengths share blocks.
const LEAST: usize = 64 << 10;

/// The blocks of one device that no copy holds. A copy in progress may still use them: each has the
/// event after its last copy.
///
/// A copy takes a block, queues its work, and gives it back with an event of this device that is
/// behind all of that work. So the host never waits, and in steady state nothing is allocated.
#[derive(Debug, Default)]
pub(super) struct Staging {
    blocks: Lock<Vec<(Block, Arc<PooledEvent>)>>,
}

/// A block that a copy holds. It is [given back](Gpu::give_back_staging), or dropped once no copy
/// uses it any more.
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

/// A copy through a block that may be in progress. Dropping this gives the block back, and does not
/// wait.
#[must_use]
pub(super) struct InFlight<'a> {
    gpu: &'a Gpu,
    /// The block, and the event after the copy.
    held: Option<(Block, PooledEvent)>,
}

impl InFlight<'_> {
    /// Blocks until the copy, which is on this stream, is complete. If it cannot be waited for,
    /// nothing on the stream is in progress afterwards: no hazard says that the caller has used the
    /// memory.
    pub(super) fn wait(&self, stream: &StreamCore) -> Result<()> {
        let Some((_, end)) = &self.held else { return Ok(()) };
        end.synchronize(Wait::Chunk).inspect_err(|_| self.gpu.context.settle(stream.raw(), Wait::StagingFailed))
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        if let Some((block, end)) = self.held.take() {
            self.gpu.give_back_staging(block, end);
        }
    }
}

impl Gpu {
    /// Queues a copy to the device. The bytes may change as soon as this returns. The context must
    /// be current.
    pub(super) fn send(&self, to: u64, bytes: &[MaybeUninit<u8>], stream: &StreamCore) -> Result<InFlight<'_>> {
        let (block, len) = (self.take_staging(bytes.len())?, bytes.len());
        let host = block.at(0);
        // SAFETY: the block has so many bytes, and no copy uses it.
        unsafe { bytes.as_ptr().copy_to_nonoverlapping(host.cast(), len) };
        // SAFETY: the block is neither freed nor written before the event after the copy is
        // complete: `in_flight` and `InFlight` see to it.
        let queued = unsafe { self.driver().copy_to_device(to, host.cast_const().cast(), len, stream.raw()) };
        self.in_flight(block, queued, stream)
    }

    /// Copies from the device, in the order of a stream. Blocks. The context must be current.
    pub(super) fn fetch(&self, to: &mut [MaybeUninit<u8>], from: u64, stream: &StreamCore) -> Result<()> {
        let (block, len) = (self.take_staging(to.len())?, to.len());
        let host = block.at(0);
        // SAFETY: as above, and nobody reads the block before that event is complete.
        let queued = unsafe { self.driver().copy_to_host(host.cast(), from, len, stream.raw()) };
        let copy = self.in_flight(block, queued, stream)?;
        copy.wait(stream)?;
        // SAFETY: the block has so many bytes, and the copy to it is complete.
        unsafe { to.as_mut_ptr().copy_from_nonoverlapping(host.cast_const().cast(), len) };
        drop(copy);
        Ok(())
    }

    /// Records the end of a copy. If it cannot be queued or recorded, nothing uses the block any
    /// more when this returns.
    fn in_flight(&self, block: Block, queued: Result<(), Failure>, stream: &StreamCore) -> Result<InFlight<'_>> {
        match queued.map_err(|failure| self.context.error(failure)).and_then(|()| stream.record()) {
            Ok(end) => Ok(InFlight { gpu: self, held: Some((block, end)) }),
            Err(error) => {
                self.context.settle(stream.raw(), Wait::StagingFailed);
                self.discard_block(block);
                Err(error)
            }
        }
    }

    fn staging(&self) -> MutexGuard<'_, Vec<(Block, Arc<PooledEvent>)>> {
        self.staging.blocks.lock()
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
        Ok(Block { memory: self.allocate_host(bytes)?, bytes })
    }

    /// Uninitialized page-locked memory. The context must be current.
    pub(super) fn allocate_host(&self, bytes: usize) -> Result<RawHost> {
        // Another library's capture may forbid this to all threads that are not exempt.
        let _unrestricted = Unrestricted::begin(self.driver()).map_err(|failure| self.context.error(failure))?;
        self.free_deferred();
        let allocate = || self.driver().allocate_host(bytes, false);
        let mut result = allocate();
        if result.is_err_and(Failure::is_out_of_memory) {
            self.discard_staging();
        }
        if result.is_err_and(Failure::is_out_of_memory) && self.has_deferred() {
            self.free_all_deferred();
            result = allocate();
        }
        let (memory, _) = result.map_err(|failure| match failure.is_out_of_memory() {
            true => Error::OutOfHostMemory { requested: bytes, operation: None },
            false => self.context.error(failure),
        })?;
        Ok(memory)
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
