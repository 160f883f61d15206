//! The memory that a device has taken from the system: what is free of it, and what is to be done when there is no more.

use std::sync::Arc;

use super::Gpu;
use super::context::Context;
use super::driver::{Failure, RawDevice, RawPool, RawStream};
use crate::error::Result;

/// Where stream-ordered memory comes from: a pool of our own, which keeps what is freed.
///
/// A pool gives its free memory back to the system whenever somebody synchronizes, unless its release threshold says otherwise, and
/// the next allocation has to map it again, which takes up to a millisecond. The device's default pool belongs to the whole process:
/// other libraries set its threshold for themselves, and what it kept for us would stay with it when the device has gone. So the
/// threshold is that of a pool of our own, which trims and goes without touching the memory of others.
#[derive(Debug)]
pub(super) struct Reserve {
    pool: RawPool,
    context: Arc<Context>,
}

impl Reserve {
    /// An empty one. The context must be current.
    pub(super) fn new(context: &Arc<Context>, device: RawDevice) -> Result<Self> {
        let pool = context.driver().create_pool(device).map_err(|failure| context.error(failure))?;
        Ok(Self { pool, context: Arc::clone(context) })
    }

    /// Uninitialized memory, in the order of a stream.
    pub(super) fn allocate(&self, bytes: usize, stream: RawStream) -> std::result::Result<u64, Failure> {
        self.context.driver().allocate_async(bytes, self.pool, stream)
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        self.context.bind_to_destroy();
        let _ = self.context.driver().destroy_pool(self.pool); // then it goes with the context
    }
}

impl Gpu {
    /// A driver call that may need memory of the device. Where there is none, what is kept for later is given back, and it is tried
    /// once more. The context must be current.
    ///
    /// Memory may only seem to be missing. Until a stream's work has ended, other streams cannot use what was freed after it. And the pool
    /// keeps memory in pieces that may be too small, and that the driver cannot use for its own allocations.
    pub(super) fn with_memory<T>(
        &self,
        mut call: impl FnMut() -> std::result::Result<T, Failure>,
    ) -> std::result::Result<T, Failure> {
        match call() {
            Err(failure) if failure.is_out_of_memory() => {
                self.give_back();
                call()
            }
            result => result,
        }
    }

    /// Waits for all work of the device, unless a capture is under way, and gives back whatever is free then.
    #[cold]
    fn give_back(&self) {
        self.free_all_deferred();
        if let Some(reserve) = &self.reserve {
            let _ = self.driver().trim_pool(reserve.pool); // the failure to tell is that of the second try
        }
    }
}
