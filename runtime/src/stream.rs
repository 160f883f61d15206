//! Streams: queues of work, in order inside and unordered against each other.

use std::fmt;
use std::sync::Arc;

use crate::capture::{self, Capture, Recording};
use crate::cpu::Cpu;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::{Event, Moment};
use crate::gpu::CudaStream;
use crate::graph::{self, Graph};
use crate::order::reports::Reports;

/// A queue of launches, copies and events on one device.
///
/// Work on one stream runs in order. Work on different streams may overlap, unless an [`Event`] or a buffer that both use
/// orders it: a launch waits for what other streams did with its arguments. A cheap handle; clones are the same stream.
/// Dropping the last one does not wait for its work.
#[derive(Clone)]
pub struct Stream {
    pub(crate) device: Device,
    pub(crate) kind: Kind,
    /// For the stream that a capture hands to its closure.
    pub(crate) capture: Option<Arc<Capture>>,
}

#[derive(Clone)]
pub(crate) enum Kind {
    /// Work is done when a launch returns.
    Cpu(Arc<Cpu>),
    /// A CUDA stream.
    Cuda(Arc<CudaStream>),
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
            capture::check_outside(&self.device)?;
        }
        Ok(recording)
    }

    /// The panics of its device.
    #[inline]
    pub(crate) fn reports(&self) -> &Arc<Reports> {
        match &self.kind {
            Kind::Cpu(cpu) => &cpu.reports,
            Kind::Cuda(cuda) => &cuda.cuda().reports,
        }
    }

    /// Fails while this is the stream of a capture.
    pub(crate) fn check_uncaptured(&self, what: &'static str, instead: &'static str) -> Result<()> {
        self.captured_by().map_or(Ok(()), |_| Err(Error::NotCapturable { what, instead }))
    }

    /// Captures launches into a [`Graph`], instead of running them: all launches, with their groups, and fills and copies from buffer to
    /// buffer, on the stream that the closure is given. That is a new one, of this one's priority. To launch, fill or copy in the closure on
    /// another stream of the device, such as this one, is an error, because it would be missing in the graph; streams of other devices
    /// and other threads go on as ever. What the closure does besides, such as to make buffers, is done at once and is no part of the graph.
    /// Kernels that have not been compiled yet are compiled.
    ///
    /// ```
    /// # use anabranch::prelude::*;
    /// #[kernel]
    /// fn step(x: &mut [f32], y: &mut [f32]) {
    ///     stream_parallel! {
    ///         { for i in par(0..x.len()) { x[i] += 1.0; } }
    ///         { for i in par(0..y.len()) { y[i] *= 2.0; } }
    ///     }
    /// }
    ///
    /// # fn main() -> anabranch::Result<()> {
    /// let device = Device::auto()?;
    /// let stream = device.default_stream();
    /// let (mut x, mut y) = (device.zeros(1000)?, device.buffer_from(&[1.0f32; 1000])?);
    /// let graph = stream.capture(|stream| {
    ///     step(stream, &mut x, &mut y)?;
    ///     step(stream, &mut x, &mut y)
    /// })?;
    /// assert_eq!(graph.stats().sub_kernels, 4);
    /// for _ in 0..3 {
    ///     graph.launch(&stream)?;
    /// }
    /// assert_eq!((x.to_vec()?[0], y.to_vec()?[0]), (6.0, 64.0));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// What the closure returns, which then is all that is left of the capture; [`Error::NotCapturable`] for what a graph cannot
    /// hold (an event, waiting, another graph, pinned memory, work on another stream); [`Error::NothingCaptured`] where the closure has launched
    /// nothing (a launch of no iterations is one); [`Error::BufferCaptured`] for what touches, from outside, a buffer that the
    /// capture writes; [`Error::CaptureFailed`]; or the driver fails.
    pub fn capture(&self, record: impl FnOnce(&Stream) -> Result<()>) -> Result<Graph> {
        graph::capture(self, record)
    }

    /// Marks this place in the stream.
    ///
    /// # Errors
    /// The driver fails, or the device is lost.
    pub fn record(&self) -> Result<Event> {
        self.check_uncaptured("recording an event", "use `stream_parallel!` for what runs side by side")?;
        let moment = match &self.kind {
            Kind::Cpu(cpu) => Moment::Cpu(Arc::clone(cpu), std::time::Instant::now()),
            Kind::Cuda(stream) => Moment::Cuda(Arc::new(stream.record()?)),
        };
        Ok(Event { device: self.device.clone(), moment })
    }

    /// Makes all work queued from now on wait for an event; the host does not wait. Events of other CUDA devices will do.
    ///
    /// # Errors
    /// The event and the stream are of different kinds of device, or the driver fails.
    pub fn wait(&self, event: &Event) -> Result<()> {
        self.check_uncaptured("waiting for an event", "let the stream wait that the graph is launched on")?;
        match (&self.kind, &event.moment) {
            (Kind::Cpu(_), Moment::Cpu(..)) => Ok(()),
            (Kind::Cuda(stream), Moment::Cuda(event)) => stream.wait(event),
            _ => Err(Error::OtherDevice {
                what: "an event",
                found: event.device.to_string(),
                expected: format!("a stream of {}", self.device),
            }),
        }
    }

    /// Blocks until all work queued so far is complete.
    ///
    /// # Errors
    /// [`Error::KernelPanic`] if device code has panicked since the last report, on any stream of the device; or the
    /// device is lost.
    pub fn synchronize(&self) -> Result<()> {
        self.check_uncaptured("a synchronization", "synchronize a stream that the graph was launched on")?;
        match &self.kind {
            Kind::Cpu(cpu) => cpu.take_panic(None),
            Kind::Cuda(stream) => stream.synchronize(),
        }
    }

    /// Whether all work queued so far is complete. Does not block.
    ///
    /// # Errors
    /// The device is lost.
    pub fn is_idle(&self) -> Result<bool> {
        self.check_uncaptured("asking whether a stream is idle", "ask a stream that the graph was launched on")?;
        match &self.kind {
            Kind::Cpu(_) => Ok(true),
            Kind::Cuda(stream) => stream.is_idle(),
        }
    }

    /// The `CUstream`, for other libraries; null on the CPU. Valid while a handle of the stream lives. What other
    /// libraries queue on it is ordered like any work on the stream, but unknown to the ordering by buffers.
    pub fn as_raw(&self) -> *mut std::ffi::c_void {
        match &self.kind {
            Kind::Cpu(_) => std::ptr::null_mut(),
            Kind::Cuda(stream) => stream.as_raw(),
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({:?} of {})", self.as_raw(), self.device)
    }
}
