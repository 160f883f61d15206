//! Page-locked host memory, and its copies from and to the device as work of a stream.

#![allow(unsafe_code, reason = "page-locked memory of the driver")]

use std::ops::Range;
use std::sync::{Arc, MutexGuard};

use super::deferred::DeferredFree;
use super::driver::RawHost;
use super::event::PooledEvent;
use super::memory::GpuMemory;
use super::stream::GpuStream;
use super::wait::Wait;
use super::{Gpu, copies::Copies};
use crate::error::Result;
use crate::lock::Lock;
use crate::order::hazard::{AccessMode, StreamId};
use crate::order::reports::Written;
use crate::trace::{Direction, Work};
use crate::value::types::MAX_ALIGN;

/// A block of page-locked host memory. Ranges are in bytes and must be inside the block; the typed
/// buffers check this.
///
/// A copy is queued with an event after it. Until the event is complete, the copy is in a list.
/// Later uses look it up: a copy on another stream waits on the device, a use by the host waits on
/// the host, and freeing is deferred. So each of them waits only for copies, and not for later work
/// on their streams.
#[derive(Debug)]
pub(crate) struct GpuPinned {
    /// `None` for a block of 0 bytes.
    memory: Option<RawHost>,
    copies: Lock<Copies<PooledEvent>>,
    written: Written,
    gpu: Arc<Gpu>,
}

impl GpuPinned {
    /// Allocates `bytes` zeros. A block of 0 bytes costs no driver call.
    pub(super) fn zeroed(gpu: &Arc<Gpu>, bytes: usize) -> Result<Self> {
        let (copies, written) = (Lock::default(), Written::default());
        let mut pinned = Self { memory: None, copies, written, gpu: Arc::clone(gpu) };
        if bytes == 0 {
            return Ok(pinned);
        }
        gpu.context.bind()?;
        let memory = gpu.allocate_host(bytes)?;
        pinned.memory = Some(memory);
        // SAFETY: the block has just been allocated with this many bytes, and no other code has
        // access to it.
        unsafe { memory.start().write_bytes(0, bytes) };
        Ok(pinned)
    }

    /// The address of the block, which is aligned for every element.
    pub(crate) fn start(&self) -> *mut u8 {
        self.memory.map_or(std::ptr::without_provenance_mut(MAX_ALIGN), RawHost::start)
    }

    /// The thread that wrote it last.
    pub(crate) fn written(&self) -> &Written {
        &self.written
    }

    /// The device whose streams can copy from and to it.
    pub(crate) fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    fn copies(&self) -> MutexGuard<'_, Copies<PooledEvent>> {
        self.copies.lock()
    }

    /// Queues a copy on `stream`, after all conflicting uses of both: a read copies from the range
    /// to `memory`, a write copies from `memory` to the range.
    ///
    /// # Safety
    /// As long as the copy is in the list, no code writes to the range without calling
    /// [`touch`](Self::touch) first. If the copy is a write, the same holds for reads of the range.
    pub(crate) unsafe fn copy(
        &self,
        range: Range<usize>,
        access: AccessMode,
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
            AccessMode::Read => AccessMode::Write,
            AccessMode::Write => AccessMode::Read,
        };
        context.bind()?;
        memory.order(offset..offset + bytes, there, stream)?;
        // Held until the copy is in the list, so that the list has the copies of several threads in
        // stream order.
        let mut copies = self.copies();
        let id = stream.core.id();
        copies
            .conflicts(&range, access)
            .filter(|earlier| earlier.stream != id)
            .try_for_each(|earlier| earlier.end.wait_on(raw, Wait::PinnedCopy))?;
        let host = self.start().wrapping_add(range.start);
        let direction = match access {
            AccessMode::Read => Direction::ToDevice,
            AccessMode::Write => Direction::ToHost,
        };
        let span = stream.span(Work::Copy(direction, bytes));
        // SAFETY: the range is inside the block, which is freed after the copies in the list; the
        // rest is the caller's promise.
        let queued = unsafe {
            match access {
                AccessMode::Read => context.driver().copy_to_device(address, host.cast(), bytes, raw),
                AccessMode::Write => context.driver().copy_to_host(host.cast(), address, bytes, raw),
            }
        };
        queued.map_err(|failure| context.error(failure))?;
        drop(span);
        match self.gpu.events.record(stream.core.handle()) {
            Ok(end) => {
                copies.record(range, access, id, end, |end| end.is_complete().unwrap_or(false));
                Ok(())
            }
            // Without an event, later uses cannot wait for this copy.
            Err(error) => {
                context.settle(raw, Wait::UnrecordedCopy);
                Err(error)
            }
        }
    }

    /// Blocks until the host may read or write the range, then reports a panic of device code.
    /// Fails if the device is lost, because the host cannot wait for copies that may be in progress
    /// there.
    pub(crate) fn touch(&self, range: &Range<usize>, access: AccessMode) -> Result<()> {
        self.gpu.context.bind()?;
        let why = match access {
            AccessMode::Read => Wait::PinnedRead,
            AccessMode::Write => Wait::PinnedWrite,
        };
        // The list is not locked while the host waits.
        let ends: Vec<_> = self.copies().conflicts(range, access).map(|copy| Arc::clone(&copy.end)).collect();
        for end in &ends {
            end.synchronize(why)?;
        }
        self.copies().forget(|end| ends.iter().any(|known| Arc::ptr_eq(known, end)));
        self.gpu.take_panic(Some(&self.written))
    }
}

impl Drop for GpuPinned {
    /// Leaves the freeing to the next allocation of host memory, or to the end of the device,
    /// because it may wait for the device.
    fn drop(&mut self) {
        if let Some(memory) = self.memory {
            let copies = self.copies.get_mut();
            self.gpu.free_later(DeferredFree::host(memory, copies.ends()));
        }
    }
}
