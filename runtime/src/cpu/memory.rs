//! The host memory of the CPU device's buffers.

#![allow(unsafe_code, reason = "host memory that the runtime manages itself")]

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

use super::Cpu;
use super::team::Parent;
use super::work::{Job, Op, Stop, Task};
use crate::error::{Error, Result};
use crate::order::reports::Written;
use crate::order::users::GraphUsers;
use crate::owner::Origin;
use crate::pages::{HUGE_PAGE, prefer_huge};
use crate::trace::{Direction, Work};
use crate::value::DeviceCopy;
use crate::value::types::MAX_ALIGN;

/// A block of zeroed memory, or of foreign memory. Two blocks of ours never share a cache line.
#[derive(Debug)]
pub(crate) struct CpuMemory {
    start: NonNull<u8>,
    layout: Layout,
    origin: Origin,
    graph_users: GraphUsers,
    written: Written,
    cpu: Arc<Cpu>,
}

// SAFETY: the block is owned or foreign, and its origin is `Send` and `Sync`; the borrows of the
// buffer that holds it decide which code may read and write it.
unsafe impl Send for CpuMemory {}
// SAFETY: as above.
unsafe impl Sync for CpuMemory {}

impl CpuMemory {
    /// No bytes.
    pub(crate) fn empty(cpu: &Arc<Cpu>) -> Self {
        Self {
            start: NonNull::dangling(),
            layout: Layout::new::<()>(),
            origin: Origin::Allocated,
            graph_users: GraphUsers::default(),
            written: Written::default(),
            cpu: Arc::clone(cpu),
        }
    }

    /// `bytes` zeros.
    pub(crate) fn zeroed(cpu: &Arc<Cpu>, bytes: usize) -> Result<Self> {
        let mut memory = Self::empty(cpu);
        let out_of_memory = || Error::OutOfHostMemory { requested: bytes, operation: None };
        let align = if bytes < 2 * HUGE_PAGE { MAX_ALIGN } else { HUGE_PAGE };
        let layout = Layout::from_size_align(bytes, align).map_err(|_| out_of_memory())?;
        let start = match bytes {
            0 => NonNull::new(std::ptr::without_provenance_mut(MAX_ALIGN)),
            _ if align == HUGE_PAGE => huge_zeroed(layout),
            // SAFETY: the layout is not empty.
            _ => NonNull::new(unsafe { alloc_zeroed(layout) }),
        };
        (memory.start, memory.layout) = (start.ok_or_else(out_of_memory)?, layout);
        Ok(memory)
    }

    /// Foreign memory.
    ///
    /// # Safety
    /// Until the origin is dropped, or as long as the lender lends, there are this many bytes at
    /// `start`, with this alignment, and only work with this block writes them.
    pub(crate) unsafe fn foreign(
        cpu: &Arc<Cpu>,
        start: NonNull<u8>,
        bytes: usize,
        align: usize,
        origin: Origin,
    ) -> Self {
        let mut memory = Self::empty(cpu);
        // There are so many bytes, so that the layout is valid.
        memory.layout = Layout::from_size_align(bytes, align).unwrap_or(memory.layout);
        (memory.start, memory.origin) = (start, origin);
        memory
    }

    /// Whose memory it is.
    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// See [`Origin::take_owner`].
    #[cfg(feature = "ndarray")]
    pub(crate) fn take_owner<V: std::any::Any>(&mut self) -> Option<V> {
        self.origin.take_owner()
    }

    /// The address of its first byte.
    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.layout.size()
    }

    /// The graphs that use it.
    pub(crate) fn graph_users(&self) -> &GraphUsers {
        &self.graph_users
    }

    /// The thread that wrote it last.
    pub(crate) fn written(&self) -> &Written {
        &self.written
    }

    /// Its device.
    pub(crate) fn cpu(&self) -> &Arc<Cpu> {
        &self.cpu
    }

    /// Bytes of the block.
    ///
    /// # Safety
    /// The block has these bytes, and no other code writes them as long as the result exists.
    pub(crate) unsafe fn bytes(&self, offset: usize, len: usize) -> &[MaybeUninit<u8>] {
        // SAFETY: the caller's promise; the block is allocated as long as `self` exists.
        unsafe { std::slice::from_raw_parts(self.start().add(offset).cast(), len) }
    }

    /// Bytes of the block, for writing values of the type that it holds.
    ///
    /// # Safety
    /// The block has these bytes, and no other code uses them as long as the result exists.
    #[expect(clippy::mut_from_ref, reason = "the caller promises that nobody else uses the bytes")]
    pub(crate) unsafe fn bytes_mut(&self, offset: usize, len: usize) -> &mut [MaybeUninit<u8>] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.start().add(offset).cast(), len) }
    }

    /// Copies bytes of the block.
    ///
    /// # Safety
    /// The block has these bytes, and no other code writes them in the meantime.
    pub(crate) unsafe fn read(&self, offset: usize, to: &mut [MaybeUninit<u8>]) {
        let _span = self.cpu.trace.span(Work::Copy(Direction::ToHost, to.len()));
        // SAFETY: the caller's promise; `to` is borrowed uniquely, so it is not a part of the
        // block.
        unsafe { std::ptr::copy_nonoverlapping(self.start().add(offset), to.as_mut_ptr().cast(), to.len()) }
    }

    /// Overwrites bytes of the block.
    ///
    /// # Safety
    /// The block has these bytes, and no other code uses them in the meantime.
    pub(crate) unsafe fn write(&self, offset: usize, from: &[MaybeUninit<u8>]) {
        let _span = self.cpu.trace.span(Work::Copy(Direction::ToDevice, from.len()));
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr().cast(), self.start().add(offset), from.len()) }
    }
}

/// A block of zeros that begins at a huge page.
fn huge_zeroed(layout: Layout) -> Option<NonNull<u8>> {
    // SAFETY: the layout has at least two huge pages.
    let start = NonNull::new(unsafe { alloc(layout) })?;
    // SAFETY: the block has these bytes, and nobody else knows of it.
    let bytes = unsafe { std::slice::from_raw_parts_mut(start.as_ptr().cast::<MaybeUninit<u8>>(), layout.size()) };
    prefer_huge(bytes);
    // SAFETY: as above.
    unsafe { start.write_bytes(0, layout.size()) };
    Some(start)
}

/// The job of copying to the range `bytes` of the block `to` from another block, or from another
/// part of the same block.
///
/// # Safety
/// Both parts are inside their blocks and do not overlap. Whenever the job runs, no other code
/// writes the source or uses the destination.
pub(crate) unsafe fn copy(to: &Arc<CpuMemory>, bytes: Range<usize>, from: &Arc<CpuMemory>, start: usize) -> Op {
    let (to, from, len) = (Arc::clone(to), Arc::clone(from), bytes.len());
    // SAFETY: the caller's promise; the job keeps the blocks alive.
    let copy = move || unsafe {
        std::ptr::copy_nonoverlapping(from.start().add(start), to.start().add(bytes.start), bytes.len());
    };
    Op::Job(Box::new(Task(copy, 2 * len, Work::Copy(Direction::OnDevice, len))))
}

/// The job of setting every element of a part of a block.
///
/// # Safety
/// The part is inside the block, and holds elements of this type. Whenever the job runs, no other
/// code uses it.
pub(crate) unsafe fn fill<T: DeviceCopy>(memory: &Arc<CpuMemory>, bytes: Range<usize>, value: T) -> Op {
    let (memory, len) = (Arc::clone(memory), bytes.len());
    // SAFETY: as above.
    let fill = move || unsafe {
        let start = memory.start().add(bytes.start).cast::<MaybeUninit<T>>();
        std::slice::from_raw_parts_mut(start, bytes.len() / size_of::<T>()).fill(MaybeUninit::new(value));
    };
    Op::Job(Box::new(Task(fill, len, Work::Fill(len))))
}

/// A job that does nothing. Recorded with others, it keeps a block that they use.
pub(crate) fn kept(memory: &Arc<CpuMemory>) -> Op {
    struct Kept {
        _memory: Arc<CpuMemory>,
    }
    impl Job for Kept {
        fn run(&self, _: &Arc<Cpu>, _: Option<&Parent>) -> std::result::Result<(), Stop> {
            Ok(())
        }
        fn estimate(&self) -> Duration {
            Duration::ZERO
        }
    }
    Op::Job(Box::new(Kept { _memory: Arc::clone(memory) }))
}

impl Drop for CpuMemory {
    fn drop(&mut self) {
        // An owner goes with its field, after everything that works with the block.
        if self.layout.size() > 0 && matches!(self.origin, Origin::Allocated) {
            // SAFETY: `start` comes from the allocator with this layout, and is freed once.
            unsafe { dealloc(self.start.as_ptr(), self.layout) }
        }
    }
}
