//! Streams: queues of work, in order inside and unordered against each other.

use std::fmt;
use std::sync::Arc;

use crate::backend;
use crate::capture::{self, Capture, Recording};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::gpu::Priority;

/// A queue of launches, copies and events on one device.
///
/// Work on one stream runs in order. Work on different streams may overlap, unless an [`Event`] or a buffer that both use
/// orders it: a launch waits for what other streams did with its arguments. A cheap handle; clones are the same stream.
/// Dropping the last one does not wait for its work.
#[derive(Clone)]
pub struct Stream {
    pub(crate) device: Device,
    pub(crate) backend: backend::Stream,
    /// For the stream that a capture hands to its closure.
    pub(crate) capture: Option<Arc<Capture>>,
}

impl Stream {
    /// The device it belongs to.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The capture under way, if this is its stream.
    pub(crate) fn captured_by(&self) -> Option<&Arc<Capture>> {
        self.capture.as_ref().filter(|capture| capture.is_active())
    }

    /// For work that may be captured: records it, if this is the stream of a capture. Another one than that of the closure is refused.
    pub(crate) fn recording(&self) -> Result<Option<Recording<'_>>> {
        let recording = self.capture.as_ref().map_or(Ok(None), |capture| capture.begin())?;
        if recording.is_none() {
            capture::check_outside(self.device.backend())?;
        }
        Ok(recording)
    }

    /// Fails while this is the stream of a capture.
    pub(crate) fn check_uncaptured(&self, what: &'static str, instead: &'static str) -> Result<()> {
        self.captured_by().map_or(Ok(()), |_| Err(Error::NotCapturable { what, instead }))
    }

    /// Marks this place in the stream.
    ///
    /// # Errors
    /// The driver fails, or the device is lost.
    pub fn record(&self) -> Result<Event> {
        self.check_uncaptured("recording an event", "use `stream_parallel!` for what runs side by side")?;
        Ok(Event { device: self.device.clone(), backend: self.backend.record()? })
    }

    /// Makes all work queued from now on wait for an event; the host does not wait. Events of other CUDA devices will do.
    ///
    /// # Errors
    /// The event and the stream are of different kinds of device, or the driver fails.
    pub fn wait(&self, event: &Event) -> Result<()> {
        self.check_uncaptured("waiting for an event", "let the stream wait that the graph is launched on")?;
        self.backend.wait(&event.backend).unwrap_or_else(|| {
            Err(Error::OtherDevice {
                what: "an event",
                found: event.device.to_string(),
                expected: format!("a stream of {}", self.device),
            })
        })
    }

    /// Blocks until all work queued so far is complete.
    ///
    /// # Errors
    /// [`Error::KernelPanic`] if device code has panicked since the last report, on any stream of the device; or the
    /// device is lost.
    pub fn synchronize(&self) -> Result<()> {
        self.check_uncaptured("a synchronization", "synchronize a stream that the graph was launched on")?;
        self.backend.synchronize()
    }

    /// Whether all work queued so far is complete. Does not block.
    ///
    /// # Errors
    /// The device is lost.
    pub fn is_idle(&self) -> Result<bool> {
        self.check_uncaptured("asking whether a stream is idle", "ask a stream that the graph was launched on")?;
        self.backend.is_idle()
    }

    /// The `CUstream`, for other libraries; null on the CPU. Valid while a handle of the stream lives. What other
    /// libraries queue on it is ordered like any work on the stream, but unknown to the ordering by buffers.
    pub fn as_raw(&self) -> *mut std::ffi::c_void {
        self.backend.as_raw()
    }
}

impl Device {
    /// The stream that every call of this function gives. It is a stream like others: work on it is not ordered against
    /// work on other streams, except through events and through the buffers they share.
    pub fn default_stream(&self) -> Stream {
        Stream { device: self.clone(), backend: self.backend().default_stream(), capture: None }
    }

    /// A new stream.
    ///
    /// # Errors
    /// The driver cannot make one.
    pub fn new_stream(&self) -> Result<Stream> {
        self.new_stream_with_priority(Priority::Normal)
    }

    /// A new stream whose work, groups included, is scheduled with this priority. On the CPU priorities mean nothing.
    ///
    /// # Errors
    /// The driver cannot make one.
    pub fn new_stream_with_priority(&self, priority: Priority) -> Result<Stream> {
        Ok(Stream { device: self.clone(), backend: self.backend().create_stream(priority)?, capture: None })
    }

    /// A stream of another library as a stream of this device; it is not destroyed here.
    ///
    /// # Errors
    /// This is the CPU, or the driver refuses the handle.
    ///
    /// # Safety
    /// `raw` is a `CUstream` of the primary context of this device, and outlives every handle made here.
    pub unsafe fn wrap_stream(&self, raw: *mut std::ffi::c_void) -> Result<Stream> {
        // SAFETY: the caller's promise.
        let backend = unsafe { self.backend().wrap_stream(raw)? };
        Ok(Stream { device: self.clone(), backend, capture: None })
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({:?} of {})", self.as_raw(), self.device)
    }
}
