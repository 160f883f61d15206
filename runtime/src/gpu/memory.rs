//! Device memory: allocation, copies that the host waits for, the order of uses, and freeing after
//! them.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::{Arc, MutexGuard};

use super::Gpu;
use super::deferred::DeferredFree;
use super::driver::{Driver, Failure, RawStream, Word};
use super::event::StreamHandle;
use super::peers;
use super::pool::Held;
use super::stream::{GpuStream, Service, StreamCore};
use super::wait::{Ordered, Wait};
use crate::error::{Error, Result};
use crate::lock::Lock;
use crate::order::hazard::{AccessMode, Extent, Hazards, StreamId};
use crate::order::reports::Written;
use crate::order::users::GraphUsers;
use crate::owner::Origin;
use crate::trace::{Direction, Work};

/// From this many entries on, a block checks whether streams without handles have finished.
const ASK: usize = 16;

/// A block of device memory. Ranges are in bytes and must be inside the block; the typed buffers
/// check this.
#[derive(Debug)]
pub(crate) struct GpuMemory {
    address: u64,
    bytes: usize,
    pub(super) hazards: Lock<Hazards<Arc<StreamCore>>>,
    graph_users: GraphUsers,
    written: Written,
    /// Of memory that only the work of one stream uses: that stream.
    only: Option<StreamHandle>,
    pub(super) origin: Origin,
    /// The stream in whose order an owner drops the memory. Without one, the host waits before.
    #[cfg(feature = "cudarc")]
    pub(super) home: Option<super::foreign::Home>,
    pub(super) gpu: Arc<Gpu>,
}

impl GpuMemory {
    /// A block of 0 bytes, which has address 0 and costs no driver call.
    pub(crate) fn empty(gpu: &Arc<Gpu>) -> Self {
        Self {
            address: 0,
            bytes: 0,
            hazards: Lock::new(Hazards::new()),
            graph_users: GraphUsers::default(),
            written: Written::default(),
            only: None,
            origin: Origin::Allocated,
            #[cfg(feature = "cudarc")]
            home: None,
            gpu: Arc::clone(gpu),
        }
    }

    /// Allocates uninitialized memory.
    pub(super) fn allocate(gpu: &Arc<Gpu>, bytes: usize) -> Result<Self> {
        let mut memory = Self::empty(gpu);
        if bytes == 0 {
            return Ok(memory);
        }
        memory.bytes = bytes;
        gpu.context.bind()?;
        let error = |failure| gpu.allocation_error(failure, bytes);
        let Some(reserve) = &gpu.reserve else {
            gpu.free_deferred();
            memory.address = gpu.with_memory(|| gpu.driver().allocate(bytes)).map_err(error)?;
            return Ok(memory);
        };
        let stream = gpu.service()?;
        memory.address = gpu.with_memory(|| reserve.allocate(bytes, stream.core().raw())).map_err(error)?;
        // Other streams must not use the memory before the allocation is complete in the stream's
        // order.
        memory.hazards().record(Extent::from(0..bytes), AccessMode::Write, stream.core());
        drop(stream);
        Ok(memory)
    }

    /// Uninitialized memory for the work of one stream, in its order: no other stream waits. From
    /// the device's pool this costs one call, and nothing is allocated that the pool has.
    ///
    /// The block must be dropped while the stream exists.
    pub(super) fn in_order(gpu: &Arc<Gpu>, bytes: usize, stream: StreamHandle) -> Result<Self> {
        let mut memory = Self::empty(gpu);
        if bytes > 0 {
            gpu.context.bind()?;
            let address = gpu.with_memory(|| match &gpu.reserve {
                Some(reserve) => reserve.allocate(bytes, stream.raw),
                None => gpu.driver().allocate(bytes),
            });
            memory.address = address.map_err(|failure| gpu.allocation_error(failure, bytes))?;
            (memory.bytes, memory.only) = (bytes, Some(stream));
        }
        Ok(memory)
    }

    /// Foreign memory of this device. All work of others with it is complete.
    pub(crate) fn foreign(gpu: &Arc<Gpu>, address: usize, bytes: usize, origin: Origin) -> Self {
        let mut memory = Self::empty(gpu);
        memory.address = if bytes == 0 { 0 } else { address as u64 };
        (memory.bytes, memory.origin) = (bytes, origin);
        memory
    }

    /// Whose memory it is.
    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The address of the block on the device.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// The graphs that use it.
    pub(crate) fn graph_users(&self) -> &GraphUsers {
        &self.graph_users
    }

    /// The thread that wrote it last.
    pub(crate) fn written(&self) -> &Written {
        &self.written
    }

    /// The device it belongs to.
    pub(crate) fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// The uses that later ones may have to wait for.
    #[inline]
    pub(super) fn hazards(&self) -> MutexGuard<'_, Hazards<Arc<StreamCore>>> {
        self.hazards.lock()
    }

    /// Orders all work that is queued on `stream` from now on after all conflicting uses of the
    /// range, and records the use. As long as only one stream uses the block, this makes no driver
    /// call. The stream may belong to another device; its context must be current.
    pub(crate) fn order(&self, range: Range<usize>, access: AccessMode, stream: &GpuStream) -> Result<()> {
        self.wait_for_conflicts(range.into(), access, stream, &mut Ordered::default())
    }

    /// [`order`](Self::order) for one of several arguments of a launch.
    #[inline]
    pub(crate) fn wait_for_conflicts(
        &self,
        extent: Extent,
        access: AccessMode,
        stream: &GpuStream,
        ordered: &mut Ordered,
    ) -> Result<()> {
        let hazards = self.hazards();
        if hazards.is_repeated(&extent.bytes, access, stream.core.id()) {
            return Ok(());
        }
        self.wait_and_record(hazards, extent, access, stream, ordered)
    }

    #[inline(never)]
    fn wait_and_record(
        &self,
        mut hazards: MutexGuard<'_, Hazards<Arc<StreamCore>>>,
        extent: Extent,
        access: AccessMode,
        stream: &GpuStream,
        ordered: &mut Ordered,
    ) -> Result<()> {
        if extent.bytes.is_empty() {
            return Ok(());
        }
        self.wait(&hazards, &extent.bytes, access, &stream.core, ordered)?;
        hazards.record(extent, access, &stream.core);
        if hazards.len() >= ASK {
            hazards.forget(|earlier| earlier.is_finished(&stream.gpu.context));
        }
        drop(hazards);
        stream.gpu.context.rebind() // the last entry of a stream of another device may have gone
    }

    /// Makes a stream wait for the conflicting uses of a range.
    pub(super) fn wait(
        &self,
        hazards: &Hazards<Arc<StreamCore>>,
        range: &Range<usize>,
        access: AccessMode,
        waiter: &Arc<StreamCore>,
        ordered: &mut Ordered,
    ) -> Result<()> {
        let mut bound = false;
        hazards.conflicts(range, access, waiter.id(), |earlier, did| {
            if ordered.is_new(earlier.id()) {
                if !bound {
                    waiter.context().bind()?;
                    bound = true;
                }
                earlier.make_wait(waiter, Wait::between(did, access))?;
                ordered.insert(earlier.id());
            }
            Ok(())
        })
    }

    /// Copies all bytes of an extent into `to`, after all conflicting uses. Blocks until the copy
    /// is complete. The caller then reports a panic of device code, when it holds no guard any
    /// more.
    pub(crate) fn read(&self, extent: &Extent, to: &mut [MaybeUninit<u8>]) -> Result<()> {
        if !to.is_empty() {
            let range = &extent.bytes;
            self.gpu.context.bind()?;
            let stream = self.gpu.service()?;
            self.wait(&self.hazards(), range, AccessMode::Read, stream.core(), &mut Ordered::default())?;
            let span = self.gpu.service_span(stream.core().handle(), Work::Copy(Direction::ToHost, to.len()));
            self.read_in_order(to, range.start, stream.core(), span)?;
            self.hazards().completed(extent, AccessMode::Read);
            self.gpu.context.rebind()?; // the last entry of a stream of another device may have gone
        }
        Ok(())
    }

    /// [`read`](Self::read) of all bytes of a range, as work of a stream of the device: also after
    /// everything that was queued there before.
    pub(crate) fn read_on(&self, stream: &GpuStream, offset: usize, to: &mut [MaybeUninit<u8>]) -> Result<()> {
        if !to.is_empty() {
            stream.bind()?;
            self.order(offset..offset + to.len(), AccessMode::Read, stream)?;
            let span = stream.span(Work::Copy(Direction::ToHost, to.len()));
            self.read_in_order(to, offset, &stream.core, span)?;
        }
        Ok(())
    }

    /// Whether events order work of the two devices, and copies between them are the driver's.
    pub(crate) fn is_reachable_from(&self, other: &Gpu) -> bool {
        self.gpu.platform() == other.platform()
    }

    /// Copies from `from`, after all conflicting uses. Blocks until the copy is complete.
    pub(crate) fn write(&self, offset: usize, from: &[MaybeUninit<u8>]) -> Result<()> {
        if from.is_empty() {
            return Ok(());
        }
        let range = offset..offset + from.len();
        self.gpu.context.bind()?;
        let stream = self.gpu.service()?;
        self.wait(&self.hazards(), &range, AccessMode::Write, stream.core(), &mut Ordered::default())?;
        let span = self.gpu.service_span(stream.core().handle(), Work::Copy(Direction::ToDevice, from.len()));
        self.write_in_order(offset, from, stream.core(), span)?;
        self.hazards().completed(&range.into(), AccessMode::Write);
        Ok(())
    }

    /// Queues on a stream of the device a copy from `from`, which may change as soon as this
    /// returns. The range must have been [ordered](Self::order). The context must be current.
    pub(crate) fn write_async(&self, offset: usize, from: &[MaybeUninit<u8>], stream: &GpuStream) -> Result<()> {
        if !from.is_empty() {
            drop(self.gpu.send(self.at(offset), from, &stream.core)?);
        }
        Ok(())
    }

    /// Copies from another block, also of another device, or from a part of this block that does
    /// not overlap, after all conflicting uses of both. Blocks until the copy is complete.
    pub(crate) fn copy_from(&self, offset: usize, from: &GpuMemory, from_offset: usize, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        let (to_range, from_range) = (offset..offset + bytes, from_offset..from_offset + bytes);
        self.gpu.context.bind()?;
        let stream = self.gpu.service()?;
        let mut ordered = Ordered::default();
        from.wait(&from.hazards(), &from_range, AccessMode::Read, stream.core(), &mut ordered)?;
        self.wait(&self.hazards(), &to_range, AccessMode::Write, stream.core(), &mut ordered)?;
        let direction = if Arc::ptr_eq(&self.gpu, &from.gpu) { Direction::OnDevice } else { Direction::BetweenDevices };
        let span = self.gpu.service_span(stream.core().handle(), Work::Copy(direction, bytes));
        self.transfer(offset, from, from_offset, bytes, stream.core())?;
        drop(span);
        self.driver().settle(stream.core().raw(), Wait::Copy).map_err(|failure| self.error(failure))?;
        from.hazards().completed(&from_range.into(), AccessMode::Read);
        self.hazards().completed(&to_range.into(), AccessMode::Write);
        self.gpu.context.rebind()
    }

    /// Queues on `stream`, of one of the two devices, a copy from another block, or from a part of
    /// this block that does not overlap. Both must have been [ordered](Self::order). The stream's
    /// context must be current.
    pub(crate) fn copy_from_async(
        &self,
        offset: usize,
        from: &GpuMemory,
        from_offset: usize,
        bytes: usize,
        stream: &GpuStream,
    ) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        self.transfer(offset, from, from_offset, bytes, &stream.core)
    }

    fn transfer(&self, to: usize, from: &GpuMemory, start: usize, bytes: usize, on: &StreamCore) -> Result<()> {
        let (to, start) = (self.at(to), from.at(start));
        if !Arc::ptr_eq(&self.gpu, &from.gpu) {
            return peers::transfer((&self.gpu, to), (&from.gpu, start), bytes, on);
        }
        self.driver().copy(to, start, bytes, on.raw()).map_err(|failure| self.error(failure))
    }

    /// Queues on `stream` a fill of `bytes` bytes from `offset` on with copies of `pattern`.
    /// `bytes` is a multiple of its length. The range must have been [ordered](Self::order). The
    /// context must be current.
    pub(crate) fn fill(&self, offset: usize, bytes: usize, pattern: &[u8], stream: &GpuStream) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        set(self.driver(), self.at(offset), bytes, pattern, stream.core.raw()).map_err(|failure| self.error(failure))
    }

    /// Number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    /// Fills a range with copies of `pattern`, after all conflicting uses. Blocks until this is
    /// complete.
    pub(crate) fn clear(&self, range: Range<usize>, pattern: &[u8]) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        self.gpu.context.bind()?;
        let stream = self.gpu.service()?;
        self.wait(&self.hazards(), &range, AccessMode::Write, stream.core(), &mut Ordered::default())?;
        let span = self.gpu.service_span(stream.core().handle(), Work::Fill(range.len()));
        let queued = set(self.driver(), self.at(range.start), range.len(), pattern, stream.core().raw());
        drop(span);
        if let Err(failure) = queued {
            // Some of its calls may be queued, and nobody else would wait for them.
            self.gpu.context.settle(stream.core().raw(), Wait::Clear);
            return Err(self.error(failure));
        }
        self.driver().settle(stream.core().raw(), Wait::Clear).map_err(|failure| self.error(failure))?;
        self.hazards().completed(&range.into(), AccessMode::Write);
        Ok(())
    }

    /// The address of a byte on the device.
    pub(super) fn at(&self, offset: usize) -> u64 {
        self.address + offset as u64
    }

    fn driver(&self) -> &'static dyn Driver {
        self.gpu.driver()
    }

    fn error(&self, failure: Failure) -> Error {
        self.gpu.context.error(failure)
    }
}

impl Drop for GpuMemory {
    /// Queues the freeing after all recorded uses. If it cannot be queued, the memory is freed when
    /// the device is dropped.
    fn drop(&mut self) {
        if !matches!(self.origin, Origin::Allocated) {
            return self.release();
        }
        if self.address == 0 {
            return;
        }
        let (gpu, address) = (&*self.gpu, self.address);
        let hazards = self.hazards.get_mut();
        let freed = gpu.context.bind().and_then(|()| {
            if let Some(stream) = self.only {
                free_on(gpu, stream, address)
            } else if gpu.reserve.is_some() {
                free_behind(gpu, hazards, address)
            } else {
                gpu.discard(hazards, address)
            }
        });
        if freed.is_err() {
            // The end of this device does not wait for the others.
            for stream in hazards.streams().filter(|stream| !stream.is_of(&gpu.context)) {
                let _ = stream.settle(&gpu.context, Wait::FreeAfterUse); // fails if that device is lost: no work runs there any more
            }
            gpu.context.bind_to_destroy();
            gpu.free_later(DeferredFree::device(address));
        }
    }
}

/// After all work of a stream.
fn free_on(gpu: &Gpu, stream: StreamHandle, address: u64) -> Result<()> {
    if gpu.reserve.is_none() {
        return gpu.discard_on(stream, address);
    }
    gpu.driver().free_async(address, stream.raw).map_err(|failure| gpu.context.error(failure))
}

fn free_behind(gpu: &Gpu, hazards: &Hazards<Arc<StreamCore>>, address: u64) -> Result<()> {
    let error = |failure| gpu.context.error(failure);
    let mut streams = hazards.streams();
    if let Some(only) = streams.next()
        && only.is_owned()
        && only.is_of(&gpu.context)
        && streams.all(|other| other.id() == only.id())
    {
        return gpu.driver().free_async(address, only.raw()).map_err(error);
    }
    let stream = gpu.service()?;
    let mut ordered = Ordered::default();
    for earlier in hazards.streams().filter(|earlier| earlier.id() != stream.core().id()) {
        if ordered.is_new(earlier.id()) {
            earlier.make_wait(stream.core(), Wait::FreeAfterUse)?;
            ordered.insert(earlier.id());
        }
    }
    gpu.driver().free_async(address, stream.core().raw()).map_err(error)
}

/// Queues the writes of a repeated pattern.
fn set(
    driver: &dyn Driver,
    address: u64,
    bytes: usize,
    pattern: &[u8],
    stream: RawStream,
) -> std::result::Result<(), Failure> {
    let word = match *pattern {
        [a] => Word::Bytes1(a),
        [a, b] => Word::Bytes2(u16::from_ne_bytes([a, b])),
        [a, b, c, d] => Word::Bytes4(u32::from_ne_bytes([a, b, c, d])),
        _ => return set_wide(driver, address, bytes, pattern, stream),
    };
    driver.set(address, word, bytes / pattern.len(), stream)
}

/// [`set`] for other patterns, for which the driver has no call: sets the first rows word by word,
/// or the first one byte by byte, then doubles them with copies.
fn set_wide(
    driver: &dyn Driver,
    address: u64,
    bytes: usize,
    pattern: &[u8],
    stream: RawStream,
) -> std::result::Result<(), Failure> {
    let width = pattern.len();
    let (words, rest) = pattern.as_chunks();
    let mut done = if rest.is_empty() {
        let rows = (bytes / width).min(64);
        for (word, value) in words.iter().enumerate() {
            driver.set_column(address + 4 * word as u64, width, u32::from_ne_bytes(*value), rows, stream)?;
        }
        rows * width
    } else {
        for (at, byte) in pattern.iter().enumerate() {
            driver.set(address + at as u64, Word::Bytes1(*byte), 1, stream)?;
        }
        width
    };
    while done < bytes {
        let more = done.min(bytes - done);
        driver.copy(address + done as u64, address, more, stream)?;
        done += more;
    }
    Ok(())
}

/// A service stream. Dropping it returns it to its pool.
pub(super) struct ServiceStream<'a> {
    held: Option<Held<Arc<StreamCore>>>,
    core: Arc<StreamCore>,
    gpu: &'a Gpu,
}

impl ServiceStream<'_> {
    pub(super) fn core(&self) -> &Arc<StreamCore> {
        &self.core
    }
}

impl Drop for ServiceStream<'_> {
    fn drop(&mut self) {
        if let Some(held) = self.held.take() {
            self.gpu.service.release([held]);
        }
    }
}

impl Gpu {
    /// A stream for a copy, an allocation or a free. The context must be current.
    pub(super) fn service(&self) -> Result<ServiceStream<'_>> {
        let held = self.service.acquire(&Service(self))?;
        Ok(ServiceStream { core: Arc::clone(&held.stream), held: Some(held), gpu: self })
    }

    fn allocation_error(&self, failure: Failure, bytes: usize) -> Error {
        if !failure.is_out_of_memory() {
            return self.context.error(failure);
        }
        let (free, total) = self.driver().memory_info().unwrap_or((0, 0));
        Error::OutOfMemory {
            platform: self.platform(),
            device: self.context.ordinal(),
            call: failure.call,
            requested: bytes,
            free,
            total,
            operation: None,
        }
    }
}
