//! Memory of other libraries: whose it is, and waiting for its uses before it goes back.

#![allow(unsafe_code, reason = "a stream of another library")]

use super::Gpu;
use super::memory::GpuMemory;
use super::wait::Ordered;
use super::wait::Wait;
use crate::error::Result;
use crate::order::hazard::StreamId;
use crate::owner::Origin;

impl Gpu {
    /// The number of the device in whose memory an address is; `None` if the driver does not know
    /// it as memory of a device.
    pub(crate) fn device_of(&self, address: usize) -> Result<Option<usize>> {
        self.context.bind()?;
        self.driver().device_of(address as u64).map_err(|failure| self.context.error(failure))
    }
}

impl GpuMemory {
    /// Blocks until all recorded uses are complete.
    pub(crate) fn wait_for_uses(&self, why: Wait) -> Result<()> {
        self.gpu.context.bind()?;
        // The lock is not held while the host waits.
        let streams: Vec<_> = self.hazards().streams().cloned().collect();
        let (mut waited, mut result) = (Ordered::default(), Ok(()));
        for stream in streams {
            if waited.is_new(stream.id()) {
                // A stream that fails does not keep the host from waiting for the others.
                result = result.and(stream.settle(&self.gpu.context, why));
                waited.insert(stream.id());
            }
        }
        result
    }

    /// Blocks until all work with the block is complete.
    #[cfg(any(feature = "dlpack", feature = "ndarray"))]
    pub(crate) fn settle(&self) -> Result<()> {
        self.wait_for_uses(Wait::GiveAway)
    }

    fn order_release(&self) -> Result<()> {
        #[cfg(feature = "cudarc")]
        if let Some(home) = self.home {
            let handed_over = self.hand_over(home, crate::order::hazard::AccessMode::Write);
            return handed_over.or_else(|_| self.wait_for_uses(Wait::Release));
        }
        self.wait_for_uses(Wait::Release)
    }

    /// Drops the owner of foreign memory, after the recorded uses. What is lent has none, and the
    /// lender waits.
    pub(super) fn release(&mut self) {
        let Origin::Adopted(owner) = std::mem::replace(&mut self.origin, Origin::Lent) else { return };
        if self.order_release().is_err() && !self.gpu.context.is_lost() {
            // Another library captures a stream that uses the memory: nothing says when that work
            // is complete.
            return std::mem::forget(owner);
        }
        self.gpu.context.shelter(|| drop(owner));
    }
}

/// For memory that changes hands in the order of another library's stream.
#[cfg(feature = "cudarc")]
mod ordered {
    use std::any::Any;
    use std::ffi::c_void;
    use std::sync::Arc;

    use crate::error::{Error, Result};
    use crate::gpu::driver::{RawContext, RawStream};
    use crate::gpu::memory::GpuMemory;
    use crate::gpu::stream::StreamCore;
    use crate::gpu::wait::Ordered;
    use crate::gpu::wait::Wait;
    use crate::gpu::{Gpu, cuda};
    use crate::order::hazard::{AccessMode, StreamId};
    use crate::owner::{Origin, Owner};

    /// A stream of another library that is in use only as long as this value exists, on this
    /// thread.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Home(RawStream);

    impl Home {
        /// # Safety
        /// The stream belongs to the context of the device that it is used with, and lives longer
        /// than the value.
        pub(crate) unsafe fn new(raw: *mut c_void) -> Self {
            Self(RawStream(raw))
        }
    }

    impl Gpu {
        /// Whether this is the device's context: the primary one.
        pub(crate) fn has_context(&self, raw: *mut c_void) -> bool {
            self.context.is(RawContext(raw))
        }

        /// The error of a call that another library has made.
        pub(crate) fn error_of(&self, call: &'static str, code: u32) -> Error {
            self.context.error(cuda::failure(call, code))
        }

        /// Waits for all work of the device, because an order between two libraries could not be
        /// made. If even this fails, the device is lost.
        pub(crate) fn wait_for_all(&self, why: Wait) {
            self.context.bind_to_destroy();
            if let Err(failure) = self.driver().synchronize_device(why) {
                let _ = self.context.error(failure.fatal()); // what has failed first is reported
            }
        }

        /// The work on a stream so far.
        pub(crate) fn past(&self, home: Home) -> Result<Past> {
            self.context.bind()?;
            self.refuse_captured(home)?;
            StreamCore::past(home.0, self).map(Past)
        }

        /// Fails if another library captures a stream: an event there would be a part of its graph.
        pub(crate) fn refuse_captured(&self, home: Home) -> Result<()> {
            self.context.bind()?;
            match self.driver().is_capturing(home.0) {
                Ok(true) => Err(Error::CAPTURED_ELSEWHERE),
                Ok(false) => Ok(()),
                Err(failure) => Err(self.context.error(failure)),
            }
        }
    }

    /// The work on a stream up to some time.
    pub(crate) struct Past(Arc<StreamCore>);

    impl GpuMemory {
        /// Foreign memory of this device. All work of others with it is in this past.
        pub(crate) fn foreign_after(gpu: &Arc<Gpu>, address: u64, bytes: usize, origin: Origin, past: &Past) -> Self {
            let address = usize::try_from(address).unwrap_or(0); // this is a 64-bit platform
            let memory = Self::foreign(gpu, address, bytes, origin);
            memory.hazards().record((0..bytes).into(), AccessMode::Write, &past.0);
            memory
        }

        /// Lets the owner go in the order of this stream, which the owner keeps.
        pub(crate) fn goes_home(&mut self, home: Home) {
            self.home = Some(home);
        }

        /// See [`Origin::take_owner`].
        pub(crate) fn take_owner<V: Any>(&mut self) -> Option<V> {
            self.origin.take_owner()
        }

        /// Puts it back.
        pub(crate) fn put_owner(&mut self, owner: Owner) {
            self.origin = Origin::Adopted(owner);
        }

        /// Makes all work that is queued on `home` from now on start after the uses of the block
        /// that conflict with such an access.
        pub(crate) fn hand_over(&self, home: Home, access: AccessMode) -> Result<()> {
            self.gpu.context.bind()?;
            let (mut ordered, mut result) = (Ordered::default(), Ok(()));
            let hazards = self.hazards();
            let all: Result<()> = hazards.conflicts(&(0..self.len()), access, NOBODY, |earlier, _| {
                if ordered.is_new(earlier.id()) {
                    // A stream that fails does not keep the home from waiting for the others.
                    let waits = earlier.make_raw_wait(&self.gpu.context, home.0, Wait::HandOver);
                    result = std::mem::replace(&mut result, Ok(())).and(waits);
                    ordered.insert(earlier.id());
                }
                Ok(())
            });
            all.and(result)
        }

        /// Records that work in this past has used the block.
        pub(crate) fn took_back(&self, past: &Past, access: AccessMode) {
            self.hazards().record((0..self.len()).into(), access, &past.0);
        }
    }

    /// The id of no stream.
    const NOBODY: u64 = 0;
}
#[cfg(feature = "cudarc")]
pub(crate) use ordered::{Home, Past};
