//! Streams: queues of work on a device.

#![allow(unsafe_code, reason = "it passes on the contract of a foreign stream")]

use std::fmt;
use std::sync::Arc;

use crate::backend::{self, check_outside};
use crate::capture::{GraphCapture, Recording};
use crate::device::Device;
use crate::error::{Error, ForeignError, Result};
use crate::event::Event;
use crate::gpu::Priority;

/// A queue of launches, copies and events on one device.
///
/// Work on one stream runs in order. Work on different streams may overlap, unless an [`Event`] or
/// a shared buffer orders it: a launch waits for conflicting work on other streams that uses its
/// arguments.
///
/// This is a cheap handle; clones refer to the same stream. Dropping the last handle does not wait
/// for the work on the stream.
#[doc(alias("cudaStream_t", "CUstream", "CudaStream"))]
pub struct Stream {
    pub(crate) device: Device,
    pub(crate) backend: backend::Stream,
    /// The capture, if this is the stream that a capture passes to its closure.
    pub(crate) capture: Option<Arc<GraphCapture>>,
    lent: Lent,
}

/// Whether a handle is that of the body of a library kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lent {
    /// An ordinary handle.
    No,
    /// The body's own. It is borrowed, so it is gone when the body returns.
    Yes,
    /// A clone of that, which can outlive the stream. The driver never gets it from us.
    Copied,
}

impl Clone for Stream {
    fn clone(&self) -> Self {
        let lent = if self.lent == Lent::No { Lent::No } else { Lent::Copied };
        Self { device: self.device.clone(), backend: self.backend.clone(), capture: self.capture.clone(), lent }
    }
}

impl Stream {
    /// Returns the device that the stream belongs to.
    pub fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn new(device: Device, backend: backend::Stream, capture: Option<Arc<GraphCapture>>) -> Self {
        Self { device, backend, capture, lent: Lent::No }
    }

    /// The handle for the body of a library kernel that is launched on this stream. `backend` is
    /// the stream of the place where it stands.
    pub(crate) fn lend(&self, backend: backend::Stream, captured: bool) -> Self {
        let capture = self.capture.clone().filter(|_| captured);
        Self { device: self.device.clone(), backend, capture, lent: Lent::Yes }
    }

    /// Fails for the handle of the body of a library kernel.
    #[inline]
    pub(crate) fn check_own(&self, what: &'static str) -> Result<()> {
        if self.lent == Lent::No { Ok(()) } else { Err(Error::LentStream { what }) }
    }

    /// The capture in progress, if this is its stream.
    pub(crate) fn captured_by(&self) -> Option<&Arc<GraphCapture>> {
        self.capture.as_ref().filter(|capture| capture.is_active())
    }

    /// For work that can be captured: begins a recording if this is the stream of a capture. Inside
    /// the closure of a capture, any other stream is an error.
    #[inline]
    pub(crate) fn recording(&self) -> Result<Option<Recording<'_>>> {
        self.check_own("a launch, a copy or a fill")?;
        if let Some(capture) = &self.capture
            && let Some(recording) = capture.begin()?
        {
            return Ok(Some(recording));
        }
        check_outside(self.device.backend())?;
        self.check_captured_elsewhere()?;
        Ok(None)
    }

    /// For a call that waits or asks: fails for a clone of a lent handle, and as long as this is
    /// the stream of a capture in progress.
    fn check_waiting(&self, what: &'static str, instead: &'static str) -> Result<()> {
        if self.lent == Lent::Copied {
            return Err(Error::LentStream { what });
        }
        self.check_uncaptured(what, instead)
    }

    /// Fails as long as this is the stream of a capture in progress.
    pub(crate) fn check_uncaptured(&self, what: &'static str, instead: &'static str) -> Result<()> {
        self.captured_by().map_or(Ok(()), |_| Err(Error::NotCapturable { what, instead }))?;
        self.check_captured_elsewhere()
    }

    /// Fails as long as another library captures this stream, which it can if it is a wrapped one.
    #[inline]
    pub(crate) fn check_captured_elsewhere(&self) -> Result<()> {
        if self.backend.is_captured_elsewhere()? { Err(Error::CAPTURED_ELSEWHERE) } else { Ok(()) }
    }

    /// Records an event in the stream.
    ///
    /// # Errors
    /// The driver fails, or the device is lost.
    #[doc(alias("cudaEventRecord", "cuEventRecord", "cudaEventCreate"))]
    pub fn record(&self) -> Result<Event> {
        self.check_own("recording an event")?;
        self.check_uncaptured("recording an event", "use `stream_parallel!` for concurrent work")?;
        Ok(Event { device: self.device.clone(), backend: self.backend.record()? })
    }

    /// Makes all work that is queued later wait for an event, which may belong to another device.
    /// The host does not wait, except on a stream of a CPU device for an event of a GPU, because
    /// work on the CPU runs at its call.
    ///
    /// # Errors
    /// The driver fails, or a device is lost.
    #[doc(alias("cudaStreamWaitEvent", "cuStreamWaitEvent"))]
    pub fn wait(&self, event: &Event) -> Result<()> {
        self.check_own("waiting for an event")?;
        self.check_uncaptured("waiting for an event", "call `wait` on the stream that the graph is launched on")?;
        self.backend.wait(&event.backend)
    }

    /// Blocks until all work queued so far is complete.
    ///
    /// # Errors
    /// [`Error::KernelPanic`] if device code has panicked since the last report, on any stream of
    /// the device; or the device is lost.
    #[doc(alias("cudaStreamSynchronize", "cuStreamSynchronize"))]
    pub fn synchronize(&self) -> Result<()> {
        self.check_waiting("a synchronization", "synchronize a stream that the graph was launched on")?;
        match self.lent {
            Lent::No => self.backend.synchronize(),
            // The panic of a loop belongs to the caller of the launch.
            Lent::Yes | Lent::Copied => self.backend.wait_for_work(),
        }
    }

    /// Returns `true` if all work queued so far is complete. Does not block.
    ///
    /// # Errors
    /// The device is lost.
    #[doc(alias("cudaStreamQuery", "cuStreamQuery"))]
    pub fn is_idle(&self) -> Result<bool> {
        self.check_waiting("asking whether a stream is idle", "query a stream that the graph was launched on")?;
        self.backend.is_idle()
    }

    /// Returns the `CUstream`, for use with other libraries; null on the CPU. It is valid as long
    /// as a handle of the stream exists. Work that other libraries queue on it is ordered like any
    /// other work on the stream, but anabranch does not know which buffers that work uses, and so
    /// does not order other streams after it.
    pub fn as_raw(&self) -> *mut std::ffi::c_void {
        self.backend.as_raw()
    }
}

impl Device {
    /// Returns the default stream of the device. Each call returns the same stream. Unlike CUDA's,
    /// it does not synchronize with other streams: only events and shared buffers order its work
    /// with theirs.
    pub fn default_stream(&self) -> Stream {
        Stream::new(self.clone(), self.backend().default_stream(), None)
    }

    /// Creates a stream.
    ///
    /// # Errors
    /// The driver cannot create a stream.
    #[doc(alias("cudaStreamCreate", "cuStreamCreate"))]
    pub fn new_stream(&self) -> Result<Stream> {
        self.new_stream_with_priority(Priority::Normal)
    }

    /// Creates a stream whose work, including its groups, is scheduled with this priority. The CPU
    /// ignores priorities.
    ///
    /// # Errors
    /// The driver cannot create a stream.
    #[doc(alias("cudaStreamCreateWithPriority", "cuStreamCreateWithPriority"))]
    pub fn new_stream_with_priority(&self, priority: Priority) -> Result<Stream> {
        Ok(Stream::new(self.clone(), self.backend().create_stream(priority)?, None))
    }

    /// Wraps a stream of another library. Dropping the handle does not destroy that stream.
    ///
    /// # Errors
    /// The device is the CPU; `raw` is `CU_STREAM_PER_THREAD`, which is another stream on each
    /// thread; or the driver rejects the handle.
    ///
    /// # Safety
    /// `raw` must be a `CUstream` of the primary context of this device, and must outlive all
    /// handles that come from this call.
    pub unsafe fn wrap_stream(&self, raw: *mut std::ffi::c_void) -> Result<Stream> {
        check_shared("wrap_stream", raw)?;
        // SAFETY: the caller's promise.
        let backend = unsafe { self.backend().wrap_stream(raw, None)? };
        Ok(Stream::new(self.clone(), backend, None))
    }
}

/// Refuses the default stream of each thread: a handle is for all threads, and this one would be
/// another stream on each of them.
pub(crate) fn check_shared(call: &'static str, raw: *mut std::ffi::c_void) -> Result<()> {
    const PER_THREAD: usize = 2; // CU_STREAM_PER_THREAD
    if raw.addr() != PER_THREAD {
        return Ok(());
    }
    Err(Error::foreign(call, "a stream of another library".to_owned(), ForeignError::PerThreadStream))
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({:?} of {})", self.as_raw(), self.device)
    }
}
