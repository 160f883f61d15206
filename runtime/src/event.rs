//! Events: places in streams to wait for and to take the time at.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::cpu::Cpu;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::gpu::CudaEvent;

/// A place in a stream, made by [`Stream::record`](crate::Stream::record): complete when all work queued before it is. A
/// cheap handle; clones are the same event.
#[derive(Clone)]
pub struct Event {
    pub(crate) device: Device,
    pub(crate) moment: Moment,
}

#[derive(Clone)]
pub(crate) enum Moment {
    /// When it was recorded: work on the CPU is complete when its launch returns.
    Cpu(Arc<Cpu>, Instant),
    /// A CUDA event with a time.
    Cuda(Arc<CudaEvent>),
}

impl Event {
    /// Blocks until the event is complete.
    ///
    /// # Errors
    /// [`Error::KernelPanic`] if device code has panicked since the last report; or the device is lost.
    pub fn synchronize(&self) -> Result<()> {
        match &self.moment {
            Moment::Cpu(cpu, _) => cpu.take_panic(None),
            Moment::Cuda(event) => event.synchronize(),
        }
    }

    /// Whether the event is complete. Does not block.
    ///
    /// # Errors
    /// The device is lost.
    pub fn is_complete(&self) -> Result<bool> {
        match &self.moment {
            Moment::Cpu(..) => Ok(true),
            Moment::Cuda(event) => event.is_complete(),
        }
    }

    /// Time on the device from `start` to this event; zero if `start` was recorded later. Blocks until both are
    /// complete.
    ///
    /// # Errors
    /// The events are of different devices, or the device is lost.
    pub fn elapsed_since(&self, start: &Event) -> Result<Duration> {
        match (&self.moment, &start.moment) {
            (Moment::Cpu(_, end), Moment::Cpu(_, start)) => Ok(end.saturating_duration_since(*start)),
            (Moment::Cuda(end), Moment::Cuda(start)) if Arc::ptr_eq(&end.cuda, &start.cuda) => end.elapsed_since(start),
            _ => Err(Error::OtherDevice {
                what: "an event",
                found: start.device.to_string(),
                expected: format!("an event of {}", self.device),
            }),
        }
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event(of {})", self.device)
    }
}
