//! Streams: queues of work, in order inside and unordered against each other.

use std::fmt;
use std::sync::Arc;

use crate::cpu::Cpu;
use crate::cuda::CudaStream;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::{Event, Moment};

/// A queue of launches, copies and events on one device.
///
/// Work on one stream runs in order. Work on different streams may overlap, unless an [`Event`] or a buffer that both use
/// orders it: a launch waits for what other streams did with its arguments. A cheap handle; clones are the same stream.
/// Dropping the last one does not wait for its work.
#[derive(Clone)]
pub struct Stream {
    pub(crate) device: Device,
    pub(crate) kind: Kind,
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

    /// Marks this place in the stream.
    ///
    /// # Errors
    /// The driver fails, or the device is lost.
    pub fn record(&self) -> Result<Event> {
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
        match &self.kind {
            Kind::Cpu(cpu) => cpu.take_panic(),
            Kind::Cuda(stream) => stream.synchronize(),
        }
    }

    /// Whether all work queued so far is complete. Does not block.
    ///
    /// # Errors
    /// The device is lost.
    pub fn is_idle(&self) -> Result<bool> {
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
