//! Memory of devices, and of the host for copies.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;

use super::stream::Stream;
use crate::cpu::memory::{self, CpuMemory};
use crate::cpu::work::Stop;
use crate::error::Result;
use crate::gpu::{GpuMemory, GpuPinned};
use crate::order::graph_lock::{GraphGuard, Used, Waiting};
use crate::order::hazard::{AccessMode, Extent};
use crate::order::reports::Written;
use crate::order::users::GraphUsers;
use crate::owner::Origin;
use crate::trace::{Direction, Work};
use crate::value::DeviceCopy;
use crate::value::scalar::pattern;

/// A block of device memory, shared by its buffer and the graphs that use it.
#[derive(Debug, Clone)]
pub(crate) enum Memory {
    Cpu(Arc<CpuMemory>),
    Gpu(Arc<GpuMemory>),
}

/// A part of a block of memory that work uses: an argument of a launch, or the source or
/// destination of a copy.
#[derive(Debug)]
pub struct Use<'a> {
    /// The kernel's parameter; empty for a copy.
    pub(crate) name: &'static str,
    pub(crate) memory: &'a Memory,
    pub(crate) bytes: Range<usize>,
    /// Only some of the bytes are used.
    pub(crate) gaps: bool,
    pub(crate) access: AccessMode,
}

impl<'s> Use<'s> {
    /// Excludes the launches of graphs that conflict with this use. Fails if a capture in progress
    /// writes the block.
    #[inline]
    pub(crate) fn share(&self) -> Result<Option<GraphGuard<'s>>> {
        Self::share_all(std::slice::from_ref(self))
    }

    /// The same for several uses of memory of one device.
    #[inline]
    pub(crate) fn share_all(uses: &[Self]) -> Result<Option<GraphGuard<'s>>> {
        let Some(shared) = uses.iter().find(|used| used.memory.graph_users().is_shared()) else { return Ok(None) };
        uses.iter().try_for_each(|used| used.memory.graph_users().check())?;
        match shared.memory {
            Memory::Cpu(memory) => {
                let bytes = uses.iter().map(|used| (used.memory.address(), used.bytes.clone(), used.access));
                memory.cpu().graph_lock.share(Used::Bytes(bytes.collect()), Waiting::on_cpu()).map(Some)
            }
            Memory::Gpu(memory) => memory.gpu().graph_lock.share(Used::All, Waiting::Blocks).map(Some),
        }
    }
}

impl Memory {
    /// A block of the stream's device without any bytes.
    pub(crate) fn empty(stream: &Stream) -> Self {
        match stream {
            Stream::Cpu(cpu) => Memory::Cpu(Arc::new(CpuMemory::empty(cpu))),
            Stream::Gpu(stream) => Memory::Gpu(Arc::new(GpuMemory::empty(stream.gpu()))),
        }
    }

    /// Address on the device.
    pub(crate) fn start(&self) -> *mut u8 {
        match self {
            Memory::Cpu(memory) => memory.start(),
            // Never dereferenced on the host: only the CPU device reads `DevRef` and `DevMut`.
            Memory::Gpu(memory) => std::ptr::without_provenance_mut(memory.address() as usize),
        }
    }

    /// Blocks until all work with the block is complete, then reports a panic of device code.
    #[cfg(any(feature = "dlpack", feature = "ndarray"))]
    pub(crate) fn settle(&self) -> Result<()> {
        if let Memory::Gpu(memory) = self {
            memory.settle()?;
        }
        self.report()
    }

    /// Reports a panic of device code to a thread that has read the block. This runs code of the
    /// user, which may launch a graph with the block: the caller holds no guard.
    pub(crate) fn report(&self) -> Result<()> {
        match self {
            Memory::Cpu(memory) => memory.cpu().take_panic(Some(memory.written())),
            Memory::Gpu(memory) => memory.gpu().take_panic(Some(memory.written())),
        }
    }

    /// Whether both are the same block.
    pub(crate) fn is(&self, other: &Memory) -> bool {
        match (self, other) {
            (Memory::Cpu(this), Memory::Cpu(other)) => Arc::ptr_eq(this, other),
            (Memory::Gpu(this), Memory::Gpu(other)) => Arc::ptr_eq(this, other),
            _ => false,
        }
    }

    /// Whether it is lent for the time of a closure, so that no graph may use it.
    pub(crate) fn is_lent(&self) -> bool {
        let origin = match self {
            Memory::Cpu(memory) => memory.origin(),
            Memory::Gpu(memory) => memory.origin(),
        };
        matches!(origin, Origin::Lent)
    }

    /// Number of bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Memory::Cpu(memory) => memory.len(),
            Memory::Gpu(memory) => memory.len(),
        }
    }

    /// The graphs that use it.
    #[inline]
    pub(crate) fn graph_users(&self) -> &GraphUsers {
        match self {
            Memory::Cpu(memory) => memory.graph_users(),
            Memory::Gpu(memory) => memory.graph_users(),
        }
    }

    /// The thread that wrote it last.
    #[inline]
    pub(crate) fn written(&self) -> &Written {
        match self {
            Memory::Cpu(memory) => memory.written(),
            Memory::Gpu(memory) => memory.written(),
        }
    }

    /// What tells blocks of a device apart.
    pub(super) fn address(&self) -> usize {
        match self {
            Memory::Cpu(memory) => Arc::as_ptr(memory).addr(),
            Memory::Gpu(memory) => Arc::as_ptr(memory).addr(),
        }
    }

    /// Whether the memory belongs to the device of the stream.
    #[inline]
    pub(crate) fn is_of(&self, stream: &Stream) -> bool {
        match (self, stream) {
            (Memory::Cpu(memory), Stream::Cpu(cpu)) => Arc::ptr_eq(memory.cpu(), cpu),
            (Memory::Gpu(memory), Stream::Gpu(stream)) => Arc::ptr_eq(memory.gpu(), stream.gpu()),
            _ => false,
        }
    }

    /// The name of its device, for an error that also names the device of a stream.
    pub(crate) fn device_beside(&self, stream: &Stream) -> String {
        match (self, stream) {
            (Memory::Cpu(memory), Stream::Cpu(_)) => {
                format!("{}, another device (each `Device::cpu()` makes its own)", memory.cpu())
            }
            (Memory::Cpu(_), Stream::Gpu(_)) => "the CPU".to_owned(),
            (Memory::Gpu(memory), _) => format!("{} device {}", memory.gpu().platform(), memory.gpu().ordinal()),
        }
    }

    /// Sets all bytes of a new block to zero. Blocks.
    pub(crate) fn clear(&self) -> Result<()> {
        match self {
            Memory::Cpu(_) => Ok(()), // allocated as zeros
            Memory::Gpu(memory) => memory.clear(0..memory.len(), &[0]),
        }
    }

    /// Sets the elements in a range of bytes, after all launches that use them. Blocks.
    ///
    /// # Safety
    /// The block has these bytes, and holds elements of this type there. In the meantime only work
    /// that was queued before uses them.
    pub(crate) unsafe fn fill<T: DeviceCopy>(&self, bytes: Range<usize>, value: T) -> Result<()> {
        match self {
            Memory::Cpu(memory) => {
                // SAFETY: the caller's promise.
                unsafe { memory::fill(memory, bytes, value) }.run_on(memory.cpu(), None).map_err(Stop::raise)
            }
            Memory::Gpu(memory) => memory.clear(bytes, &pattern(&value)),
        }
    }

    /// Copies bytes of the block into `to`, after all launches that write them. Blocks.
    /// [`report`](Self::report) must follow.
    ///
    /// # Safety
    /// The block has these bytes. In the meantime only work that was queued before writes them.
    pub(crate) unsafe fn read(&self, offset: usize, to: &mut [MaybeUninit<u8>]) -> Result<()> {
        match self {
            Memory::Cpu(memory) => {
                // SAFETY: the caller's promise; work on the CPU is complete when its call returns.
                unsafe { memory.read(offset, to) };
                Ok(())
            }
            Memory::Gpu(memory) => memory.read(&Extent::from(offset..offset + to.len()), to),
        }
    }

    /// The same for runs of the bytes, which are in order. A GPU copies all bytes, in one copy; on
    /// the CPU other code may write those between.
    ///
    /// # Safety
    /// As for [`read`](Self::read), of the runs. They are inside of the bytes.
    pub(crate) unsafe fn read_runs(
        &self,
        bytes: Range<usize>,
        runs: impl Iterator<Item = Range<usize>>,
        to: &mut [MaybeUninit<u8>],
    ) -> Result<()> {
        let mut rest = to;
        match self {
            Memory::Cpu(memory) => {
                for run in runs {
                    let (now, later) = rest.split_at_mut(run.len());
                    // SAFETY: the caller's promise.
                    unsafe { memory.read(bytes.start + run.start, now) };
                    rest = later;
                }
            }
            Memory::Gpu(memory) => {
                let mut all = vec![MaybeUninit::uninit(); bytes.len()];
                memory.read(&Extent { bytes, gaps: true }, &mut all)?;
                for run in runs {
                    let (now, later) = rest.split_at_mut(run.len());
                    now.copy_from_slice(&all[run]);
                    rest = later;
                }
            }
        }
        Ok(())
    }

    /// Copies `from` to bytes of the block, after all launches that use them. Blocks.
    ///
    /// # Safety
    /// The block has these bytes. In the meantime only work that was queued before uses them.
    pub(crate) unsafe fn write(&self, offset: usize, from: &[MaybeUninit<u8>]) -> Result<()> {
        match self {
            Memory::Cpu(memory) => {
                // SAFETY: the caller's promise.
                unsafe { memory.write(offset, from) };
                Ok(())
            }
            Memory::Gpu(memory) => memory.write(offset, from),
        }
    }

    /// Copies bytes of another block of the device, or of another part of this one, after all
    /// launches that write those and use these. Blocks.
    ///
    /// # Safety
    /// Both blocks have the bytes and belong to [one device](Self::is_beside), and the two parts do
    /// not overlap. In the meantime only work that was queued before writes the source or uses the
    /// destination.
    pub(crate) unsafe fn copy(&self, bytes: Range<usize>, from: &Memory, start: usize) -> Result<()> {
        self.written().copy_from(from.written());
        match (self, from) {
            (Memory::Gpu(to), Memory::Gpu(from)) => to.copy_from(bytes.start, from, start, bytes.len()),
            (Memory::Cpu(to), Memory::Cpu(from)) => {
                // SAFETY: the caller's promise.
                unsafe { memory::copy(to, bytes, from, start) }.run_on(to.cpu(), None).map_err(Stop::raise)
            }
            _ => Ok(()), // both blocks belong to one device
        }
    }

    /// Whether both blocks belong to one device.
    pub(crate) fn is_beside(&self, other: &Memory) -> bool {
        match (self, other) {
            (Memory::Cpu(this), Memory::Cpu(other)) => Arc::ptr_eq(this.cpu(), other.cpu()),
            (Memory::Gpu(this), Memory::Gpu(other)) => Arc::ptr_eq(this.gpu(), other.gpu()),
            _ => false,
        }
    }
}

/// Host memory that streams copy from and to.
#[derive(Debug)]
pub(crate) enum Pinned {
    /// On the CPU a copy is complete when its call returns.
    Cpu(CpuMemory),
    Gpu(GpuPinned),
}

impl Pinned {
    pub(crate) fn start(&self) -> *mut u8 {
        match self {
            Pinned::Cpu(memory) => memory.start(),
            Pinned::Gpu(pinned) => pinned.start(),
        }
    }

    /// Blocks until the host may use these bytes, then reports a panic of device code.
    pub(crate) fn touch(&self, bytes: &Range<usize>, access: AccessMode) -> Result<()> {
        match self {
            Pinned::Cpu(memory) => memory.cpu().take_panic(Some(memory.written())),
            Pinned::Gpu(pinned) => pinned.touch(bytes, access),
        }
    }

    /// The thread that wrote it last.
    pub(crate) fn written(&self) -> &Written {
        match self {
            Pinned::Cpu(memory) => memory.written(),
            Pinned::Gpu(pinned) => pinned.written(),
        }
    }

    pub(crate) fn is_of(&self, stream: &Stream) -> bool {
        match (self, stream) {
            (Pinned::Cpu(pinned), Stream::Cpu(cpu)) => Arc::ptr_eq(pinned.cpu(), cpu),
            (Pinned::Gpu(pinned), Stream::Gpu(stream)) => Arc::ptr_eq(pinned.gpu(), stream.gpu()),
            _ => false,
        }
    }

    pub(crate) fn device_name(&self) -> String {
        match self {
            Pinned::Cpu(pinned) => pinned.cpu().to_string(),
            Pinned::Gpu(pinned) => format!("{} device {}", pinned.gpu().platform(), pinned.gpu().ordinal()),
        }
    }

    /// Queues a copy between these bytes and a block of the same device. If `access` is a read, the
    /// copy goes to `memory`; if it is a write, it comes from there.
    ///
    /// # Safety
    /// The part of `memory` and the bytes are borrowed, the written ones uniquely. Each later use
    /// of the bytes calls [`touch`](Self::touch) first.
    pub(crate) unsafe fn copy(
        &self,
        bytes: Range<usize>,
        access: AccessMode,
        memory: &Memory,
        offset: usize,
        stream: &Stream,
    ) -> Result<()> {
        match (self, memory, stream) {
            (Pinned::Cpu(pinned), Memory::Cpu(memory), _) => {
                let here = pinned.start().wrapping_add(bytes.start);
                let there = memory.start().wrapping_add(offset);
                let (from, to) = match access {
                    AccessMode::Read => (here, there),
                    AccessMode::Write => (there, here),
                };
                let direction = match access {
                    AccessMode::Read => Direction::ToDevice,
                    AccessMode::Write => Direction::ToHost,
                };
                let _span = memory.cpu().trace.span(Work::Copy(direction, bytes.len()));
                // SAFETY: both are inside their blocks, which are different blocks; the caller
                // promises the borrows.
                unsafe { std::ptr::copy_nonoverlapping(from, to, bytes.len()) };
                Ok(())
            }
            // SAFETY: the caller's promise.
            (Pinned::Gpu(pinned), Memory::Gpu(memory), Stream::Gpu(stream)) => unsafe {
                pinned.copy(bytes, access, memory, offset, stream)
            },
            _ => Ok(()), // the caller compares devices
        }
    }
}
