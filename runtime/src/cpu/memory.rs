//! Host memory that buffers of the CPU device live in.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;

use super::Cpu;
use super::work::{Op, Task};
use crate::error::{Error, Result};
use crate::order::reports::Written;
use crate::order::users::GraphUsers;
use crate::value::scalar::Scalar;

/// A cache line: no two buffers share one.
const ALIGNMENT: usize = 64;

/// A block of zeroed memory.
#[derive(Debug)]
pub(crate) struct CpuMemory {
    start: NonNull<u8>,
    layout: Layout,
    graph_users: GraphUsers,
    written: Written,
    cpu: Arc<Cpu>,
}

// SAFETY: the block is owned; who may read and write it is decided by the borrows of the buffer that holds it.
unsafe impl Send for CpuMemory {}
// SAFETY: as above.
unsafe impl Sync for CpuMemory {}

impl CpuMemory {
    /// `bytes` zeros.
    pub(crate) fn zeroed(cpu: &Arc<Cpu>, bytes: usize) -> Result<Self> {
        let out_of_memory = || Error::OutOfHostMemory { requested: bytes };
        let layout = Layout::from_size_align(bytes, ALIGNMENT).map_err(|_| out_of_memory())?;
        let start = if bytes == 0 {
            NonNull::new(std::ptr::without_provenance_mut(ALIGNMENT))
        } else {
            // SAFETY: the layout is not empty.
            NonNull::new(unsafe { alloc_zeroed(layout) })
        };
        Ok(Self {
            start: start.ok_or_else(out_of_memory)?,
            layout,
            graph_users: GraphUsers::default(),
            written: Written::default(),
            cpu: Arc::clone(cpu),
        })
    }

    /// Where it starts.
    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// What graphs do with it.
    pub(crate) fn graph_users(&self) -> &GraphUsers {
        &self.graph_users
    }

    /// Who has written it last.
    pub(crate) fn written(&self) -> &Written {
        &self.written
    }

    /// Its device.
    pub(crate) fn cpu(&self) -> &Arc<Cpu> {
        &self.cpu
    }

    /// Copies the first bytes of the block.
    ///
    /// # Safety
    /// The block has as many bytes, and nobody writes it meanwhile.
    pub(crate) unsafe fn read(&self, to: &mut [u8]) {
        // SAFETY: the caller's promise; `to` is borrowed uniquely, and so no part of the block.
        unsafe { std::ptr::copy_nonoverlapping(self.start(), to.as_mut_ptr(), to.len()) }
    }

    /// Overwrites the first bytes of the block.
    ///
    /// # Safety
    /// The block has as many bytes, and nobody else uses it meanwhile.
    pub(crate) unsafe fn write(&self, from: &[u8]) {
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), self.start(), from.len()) }
    }
}

/// The job of copying the bytes `to` of one block from another one, or from another part of the same.
///
/// # Safety
/// Both parts are inside their blocks and do not overlap. Whenever the job runs, nobody else writes the one or uses the other.
pub(crate) unsafe fn copy(to: &Arc<CpuMemory>, bytes: Range<usize>, from: &Arc<CpuMemory>, start: usize) -> Op {
    let (to, from, len) = (Arc::clone(to), Arc::clone(from), bytes.len());
    // SAFETY: the caller's promise; the job keeps the blocks alive.
    let copy = move || unsafe {
        std::ptr::copy_nonoverlapping(from.start().add(start), to.start().add(bytes.start), bytes.len());
    };
    Op::Job(Box::new(Task(copy, 2 * len)))
}

/// The job of setting every element of a part of a block.
///
/// # Safety
/// The part is inside the block, and holds elements of this type. Whenever the job runs, nobody else uses it.
pub(crate) unsafe fn fill<T: Scalar>(memory: &Arc<CpuMemory>, bytes: Range<usize>, value: T) -> Op {
    let (memory, len) = (Arc::clone(memory), bytes.len());
    // SAFETY: as above.
    let fill = move || unsafe {
        let start = memory.start().add(bytes.start).cast::<T>();
        std::slice::from_raw_parts_mut(start, bytes.len() / size_of::<T>()).fill(value);
    };
    Op::Job(Box::new(Task(fill, len)))
}

impl Drop for CpuMemory {
    fn drop(&mut self) {
        if self.layout.size() > 0 {
            // SAFETY: `start` came from the allocator with this layout, and is freed once.
            unsafe { dealloc(self.start.as_ptr(), self.layout) }
        }
    }
}
