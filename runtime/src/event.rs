//! Events: points in streams, to wait for and to measure time with.

use std::fmt;
use std::time::Duration;

use crate::backend;
use crate::device::Device;
use crate::error::{Error, Result};

/// A point in a stream, recorded by [`Stream::record`](crate::Stream::record).
///
/// An event is complete when all work queued before it is complete. This is a cheap handle; clones
/// refer to the same event.
#[derive(Clone)]
#[doc(alias("cudaEvent_t", "CUevent", "CudaEvent"))]
pub struct Event {
    pub(crate) device: Device,
    pub(crate) backend: backend::Event,
}

impl Event {
    /// Blocks until the event is complete.
    ///
    /// # Errors
    /// [`Error::KernelPanic`] if device code has panicked since the last report; or the device is
    /// lost.
    #[doc(alias("cudaEventSynchronize", "cuEventSynchronize"))]
    pub fn synchronize(&self) -> Result<()> {
        self.backend.synchronize()
    }

    /// Returns `true` if the event is complete. Does not block.
    ///
    /// # Errors
    /// The device is lost.
    #[doc(alias("cudaEventQuery", "cuEventQuery"))]
    pub fn is_complete(&self) -> Result<bool> {
        self.backend.is_complete()
    }

    /// Returns the time on the device from `start` to this event, or zero if `start` was recorded
    /// later. Blocks until both are complete.
    ///
    /// The resolution is about half a microsecond. On AMD GPUs, an event on a wrapped stream takes
    /// its time on another stream, which waits for the wrapped one, so it is a little late.
    ///
    /// # Errors
    /// The events belong to different devices, or the device is lost.
    #[doc(alias("cudaEventElapsedTime", "cuEventElapsedTime"))]
    pub fn elapsed_since(&self, start: &Event) -> Result<Duration> {
        self.backend.elapsed_since(&start.backend).unwrap_or_else(|| {
            Err(Error::OtherDevice {
                what: "an event",
                found: start.device.to_string(),
                expected: format!("an event of {}", self.device),
                operation: None,
            })
        })
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event(of {})", self.device)
    }
}
