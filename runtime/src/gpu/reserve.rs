//! The pool that device memory comes from, and what happens when no memory is left.

use std::sync::Arc;

use super::Gpu;
use super::context::Context;
use super::driver::{Failure, RawDevice, RawPool, RawStream};
use crate::error::Result;

/// Our own pool of stream-ordered memory, which keeps memory that is freed.
///
/// By default, a pool returns its free memory to the system at each synchronization, and the next
/// allocation has to map it again, which takes up to a millisecond. The pool's release threshold
/// prevents this. The device's default pool belongs to the whole process: other libraries set its
/// threshold for their needs, and memory that it kept for us would stay there after the device is
/// dropped. So we set the threshold of our own pool, which we can trim and destroy without
/// affecting the memory of others.
#[derive(Debug)]
pub(super) struct Reserve {
    pool: RawPool,
    context: Arc<Context>,
}

impl Reserve {
    /// An empty pool, if the device can have one. The context must be current.
    pub(super) fn new(context: &Arc<Context>, device: RawDevice) -> Result<Option<Self>> {
        let pool = context.driver().create_pool(device).map_err(|failure| context.error(failure))?;
        Ok(pool.map(|pool| Self { pool, context: Arc::clone(context) }))
    }

    /// Uninitialized memory, in the order of a stream.
    pub(super) fn allocate(&self, bytes: usize, stream: RawStream) -> std::result::Result<u64, Failure> {
        self.context.driver().allocate_async(bytes, self.pool, stream)
    }

    /// Lets work of another device use the memory of the pool.
    pub(super) fn share_with(&self, device: RawDevice) -> std::result::Result<(), Failure> {
        self.context.driver().share_pool(self.pool, device)
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        self.context.bind_to_destroy();
        let _ = self.context.driver().destroy_pool(self.pool); // on failure, it is destroyed with the context
    }
}

impl Gpu {
    /// Makes a driver call that may need device memory. If no memory is left, returns the memory
    /// that is kept for later, and tries the call once more. The context must be current.
    ///
    /// The device may still have memory when a call fails: until a stream's work is complete, other
    /// streams cannot use memory that was freed after it. Also, the pool keeps memory in pieces
    /// that may be too small, and that the driver cannot use for its own allocations.
    #[inline(always)]
    pub(super) fn with_memory<T>(
        &self,
        mut call: impl FnMut() -> std::result::Result<T, Failure>,
    ) -> std::result::Result<T, Failure> {
        match call() {
            Err(failure) if failure.is_out_of_memory() => self.with_all_memory(&mut call),
            result => result,
        }
    }

    /// Waits for all work of the device, unless a capture is in progress, and returns all free
    /// memory. Then it makes the call.
    #[cold]
    fn with_all_memory<T>(
        &self,
        call: &mut dyn FnMut() -> std::result::Result<T, Failure>,
    ) -> std::result::Result<T, Failure> {
        self.free_all_deferred();
        if let Some(reserve) = &self.reserve {
            let _ = self.driver().trim_pool(reserve.pool); // the failure to report is that of the second try
        }
        call()
    }
}
