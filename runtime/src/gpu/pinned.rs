//! Page-locked host memory, and the copies between it and the device that streams do.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::deferred::DeferredFree;
use super::driver::{Failure, RawHost};
use super::event::PooledEvent;
use super::memory::GpuMemory;
use super::stream::GpuStream;
use super::wait::Wait;
use super::{Gpu, copies::Copies};
use crate::error::{Error, Result};
use crate::order::hazard::{Access, StreamId};
use crate::order::reports::Written;

/// A block of page-locked host memory. Ranges are in bytes and must lie inside the block; the typed buffers check that.
///
/// A copy is queued with an event behind it. Until that is complete the copy is in the books, where those look it up who come
/// after it: a copy on another stream waits on the device, whoever touches the memory waits on the host, and its freeing is put
/// off. So each of them waits for copies alone, and not for what their streams do later.
#[derive(Debug)]
pub(crate) struct GpuPinned {
    /// `None` of 0 bytes.
    memory: Option<RawHost>,
    copies: Mutex<Copies<PooledEvent>>,
    written: Written,
    gpu: Arc<Gpu>,
}

impl GpuPinned {
    /// `bytes` zeros. Of 0 bytes it costs no driver call.
    pub(super) fn zeroed(gpu: &Arc<Gpu>, bytes: usize) -> Result<Self> {
        let (copies, written) = (Mutex::default(), Written::default());
        let mut pinned = Self { memory: None, copies, written, gpu: Arc::clone(gpu) };
        if bytes == 0 {
            return Ok(pinned);
        }
        gpu.context.bind()?;
        gpu.free_deferred();
        let mut result = gpu.driver().allocate_host(bytes, false);
        if result.is_err_and(Failure::is_out_of_memory) && gpu.has_deferred() {
            gpu.free_all_deferred();
            result = gpu.driver().allocate_host(bytes, false);
        }
        let (memory, _) = result.map_err(|failure| match failure.is_out_of_memory() {
            true => Error::OutOfHostMemory { requested: bytes },
            false => gpu.context.error(failure),
        })?;
        pinned.memory = Some(memory);
        // SAFETY: the block has just been allocated with so many bytes, and nobody else knows it.
        unsafe { memory.start().write_bytes(0, bytes) };
        Ok(pinned)
    }

    /// Where the block starts; aligned for every scalar.
    pub(crate) fn start(&self) -> *mut u8 {
        self.memory.map_or(std::ptr::without_provenance_mut(align_of::<u128>()), RawHost::start)
    }

    /// Who has written it last.
    pub(crate) fn written(&self) -> &Written {
        &self.written
    }

    /// The device whose copies it takes part in.
    pub(crate) fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    fn copies(&self) -> MutexGuard<'_, Copies<PooledEvent>> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a copy on `stream`: of a read from the range to `memory`, of a write to the range from there. Behind every conflicting use
    /// of both.
    ///
    /// # Safety
    /// As long as the copy is in the books, nobody writes to the range, and of a write nobody reads it, without [`touch`](Self::touch).
    pub(crate) unsafe fn copy(
        &self,
        range: Range<usize>,
        access: Access,
        memory: &GpuMemory,
        offset: usize,
        stream: &GpuStream,
    ) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let (context, raw) = (&self.gpu.context, stream.core.raw());
        let (bytes, address) = (range.len(), memory.address() + offset as u64);
        let there = match access {
            Access::Read => Access::Write,
            Access::Write => Access::Read,
        };
        context.bind()?;
        memory.order(offset..offset + bytes, there, stream)?;
        // Held until the copy is in the books, so that copies of several threads are there in the order of their streams.
        let mut copies = self.copies();
        let id = stream.core.id();
        copies
            .conflicts(&range, access)
            .filter(|earlier| earlier.stream != id)
            .try_for_each(|earlier| earlier.end.wait_on(raw, Wait::PinnedCopy))?;
        let host = self.start().wrapping_add(range.start);
        // SAFETY: the range is inside the block, which is given back behind the copies in the books; the rest is the caller's promise.
        let queued = unsafe {
            match access {
                Access::Read => context.driver().copy_to_device(address, host.cast(), bytes, raw),
                Access::Write => context.driver().copy_to_host(host.cast(), address, bytes, raw),
            }
        };
        queued.map_err(|failure| context.error(failure))?;
        match self.gpu.events.record(raw) {
            Ok(end) => {
                copies.record(range, access, id, end, |end| end.is_complete().unwrap_or(false));
                Ok(())
            }
            // Nobody could look this copy up.
            Err(error) => {
                context.settle(raw, Wait::UnrecordedCopy);
                Err(error)
            }
        }
    }

    /// Blocks until the host may read or write the range, then reports a panic of device code. Fails where the device is lost, since
    /// copies may be under way there that nobody can wait for.
    pub(crate) fn touch(&self, range: &Range<usize>, access: Access) -> Result<()> {
        self.gpu.context.bind()?;
        let why = match access {
            Access::Read => Wait::PinnedRead,
            Access::Write => Wait::PinnedWrite,
        };
        // The books are open to others meanwhile.
        let ends: Vec<_> = self.copies().conflicts(range, access).map(|copy| Arc::clone(&copy.end)).collect();
        for end in &ends {
            end.synchronize(why)?;
        }
        self.copies().forget(|end| ends.iter().any(|known| Arc::ptr_eq(known, end)));
        self.gpu.take_panic(Some(&self.written))
    }
}

impl Drop for GpuPinned {
    /// Leaves the block to the next allocation of host memory, or to the end of the device: freeing one may wait for the device.
    fn drop(&mut self) {
        if let Some(memory) = self.memory {
            let copies = self.copies.get_mut().unwrap_or_else(PoisonError::into_inner);
            self.gpu.free_later(DeferredFree::host(memory, copies.ends()));
        }
    }
}
