//! Streams and events.

use std::ffi::c_void;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::memory::Memory;
use crate::cpu::Cpu;
use crate::error::Result;
use crate::gpu::{GpuEvent, GpuStream};
use crate::order::graph_lock::{GraphGuard, Used, Waiting};
use crate::order::hazard::{AccessMode, Extent};
use crate::order::reports::Reports;
use crate::trace::Recorder;

/// A queue of work.
#[derive(Debug, Clone)]
pub(crate) enum Stream {
    /// Work is complete when its call returns.
    Cpu(Arc<Cpu>),
    Gpu(Arc<GpuStream>),
}

impl Stream {
    /// Whether another library captures it, so that its work is not work of the device. Only
    /// meaningful outside of our captures.
    #[inline]
    pub(crate) fn is_captured_elsewhere(&self) -> Result<bool> {
        match self {
            Stream::Cpu(_) => Ok(false),
            Stream::Gpu(stream) => stream.is_captured_elsewhere(),
        }
    }

    /// The panics of its device.
    #[inline]
    pub(crate) fn reports(&self) -> &Arc<Reports> {
        match self {
            Stream::Cpu(cpu) => &cpu.reports,
            Stream::Gpu(stream) => &stream.gpu().reports,
        }
    }

    /// What its device records while it is traced.
    #[inline]
    pub(crate) fn trace(&self) -> &Recorder {
        match self {
            Stream::Cpu(cpu) => &cpu.trace,
            Stream::Gpu(stream) => stream.gpu().trace(),
        }
    }

    /// Excludes what conflicts with the launch of a graph that uses these bytes. `graph` is the
    /// address of the graph.
    pub(crate) fn exclude<'u>(
        &self,
        graph: usize,
        uses: impl Iterator<Item = (&'u Memory, Extent, AccessMode)>,
    ) -> Result<GraphGuard<'_>> {
        match self {
            Stream::Cpu(cpu) => {
                let uses = uses.map(|(memory, extent, access)| (memory.address(), extent.bytes, access));
                // A graph runs once at a time, even if it only reads.
                let used = uses.chain([(graph, 0..1, AccessMode::Write)]).collect();
                cpu.graph_lock.exclude(Used::Bytes(used), Waiting::on_cpu())
            }
            Stream::Gpu(stream) => stream.gpu().graph_lock.exclude(Used::All, Waiting::Blocks),
        }
    }

    /// An event after all work queued so far.
    pub(crate) fn record(&self) -> Result<Event> {
        Ok(match self {
            Stream::Cpu(cpu) => Event::Cpu(Arc::clone(cpu), Instant::now()),
            Stream::Gpu(stream) => Event::Gpu(Arc::new(stream.record()?)),
        })
    }

    /// Makes all work queued from now on wait for an event of any device. Work on the CPU begins
    /// when it is launched, so there the host waits.
    pub(crate) fn wait(&self, event: &Event) -> Result<()> {
        match (self, event) {
            (_, Event::Cpu(..)) => Ok(()),
            (Stream::Cpu(_), Event::Gpu(event)) => event.wait_for_work(),
            (Stream::Gpu(stream), Event::Gpu(event)) => stream.wait(event),
        }
    }

    /// Blocks until all work queued so far is complete, then reports a panic of device code.
    pub(crate) fn synchronize(&self) -> Result<()> {
        match self {
            Stream::Cpu(cpu) => cpu.take_panic(None),
            Stream::Gpu(stream) => stream.synchronize(),
        }
    }

    /// The same without a report.
    pub(crate) fn wait_for_work(&self) -> Result<()> {
        match self {
            Stream::Cpu(_) => Ok(()),
            Stream::Gpu(stream) => stream.wait_for_work(),
        }
    }

    pub(crate) fn is_idle(&self) -> Result<bool> {
        match self {
            Stream::Cpu(_) => Ok(true),
            Stream::Gpu(stream) => stream.is_idle(),
        }
    }

    /// The driver's handle; null on the CPU.
    pub(crate) fn as_raw(&self) -> *mut c_void {
        match self {
            Stream::Cpu(_) => std::ptr::null_mut(),
            Stream::Gpu(stream) => stream.as_raw(),
        }
    }

    /// Makes the device current on this thread.
    #[inline]
    pub(crate) fn bind(&self) -> Result<()> {
        match self {
            Stream::Cpu(_) => Ok(()),
            Stream::Gpu(stream) => stream.bind(),
        }
    }

    /// The same for the launch of a graph, which creates nothing.
    #[inline]
    pub(crate) fn enter(&self) -> Result<()> {
        match self {
            Stream::Cpu(_) => Ok(()),
            Stream::Gpu(stream) => stream.gpu().enter(),
        }
    }
}

/// A point in a stream.
#[derive(Clone)]
pub(crate) enum Event {
    /// The time of the recording: work on the CPU is complete when its call returns.
    Cpu(Arc<Cpu>, Instant),
    Gpu(Arc<GpuEvent>),
}

impl Event {
    /// Blocks until the event is complete, then reports a panic of device code.
    pub(crate) fn synchronize(&self) -> Result<()> {
        match self {
            Event::Cpu(cpu, _) => cpu.take_panic(None),
            Event::Gpu(event) => event.synchronize(),
        }
    }

    pub(crate) fn is_complete(&self) -> Result<bool> {
        match self {
            Event::Cpu(..) => Ok(true),
            Event::Gpu(event) => event.is_complete(),
        }
    }

    /// `None` if the events belong to different devices.
    pub(crate) fn elapsed_since(&self, start: &Event) -> Option<Result<Duration>> {
        match (self, start) {
            (Event::Cpu(_, end), Event::Cpu(_, start)) => Some(Ok(end.saturating_duration_since(*start))),
            (Event::Gpu(end), Event::Gpu(start)) if Arc::ptr_eq(&end.gpu, &start.gpu) => Some(end.elapsed_since(start)),
            _ => None,
        }
    }
}
