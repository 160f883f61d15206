//! Host memory that buffers of the CPU device live in.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::Arc;

use super::Cpu;
use crate::capture::InGraphs;
use crate::error::{Error, Result};
use crate::order::reports::Written;

/// A cache line: no two buffers share one.
const ALIGNMENT: usize = 64;

/// A block of zeroed memory.
#[derive(Debug)]
pub(crate) struct CpuMemory {
    start: NonNull<u8>,
    layout: Layout,
    in_graphs: InGraphs,
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
            in_graphs: InGraphs::default(),
            written: Written::default(),
            cpu: Arc::clone(cpu),
        })
    }

    /// Where it starts.
    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// What graphs do with it.
    pub(crate) fn in_graphs(&self) -> &InGraphs {
        &self.in_graphs
    }

    /// Who has written it last.
    pub(crate) fn written(&self) -> &Written {
        &self.written
    }

    /// Its device.
    pub(crate) fn cpu(&self) -> &Arc<Cpu> {
        &self.cpu
    }
}

impl Drop for CpuMemory {
    fn drop(&mut self) {
        if self.layout.size() > 0 {
            // SAFETY: `start` came from the allocator with this layout, and is freed once.
            unsafe { dealloc(self.start.as_ptr(), self.layout) }
        }
    }
}
