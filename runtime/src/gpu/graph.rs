//! Captures and the graphs that come of them.
//!
//! A capture has a stream of its own, so that what the program does on its streams meanwhile stays out of it, and makes its own streams and
//! events for groups: those of the pools could be shared with a launch that is not captured. The driver's relaxed mode lets the thread allocate, copy and
//! compile on other streams meanwhile. What must not be done is to wait for the whole device; see [`Gpu::synchronize`].

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Gpu;
use super::driver::{Driver, Failure, RawGraph, RawGraphExec, RawStream};
use super::event::EventPool;
use super::stream::GpuStream;
use super::wait::Wait;
use crate::error::Result;

/// A capture under way.
#[derive(Debug)]
pub(crate) struct GpuCapture {
    stream: Arc<GpuStream>,
    streams: Mutex<Vec<CaptureStream>>,
    /// An event that was recorded in a capture refers to its nodes until it is recorded anew, which another thread must not do meanwhile.
    events: Arc<EventPool>,
    /// Held for each call that captures: the driver does not synchronize changes of a graph.
    changing: Mutex<()>,
}

/// A stream of a group. Once its group has ended it is free for later groups of the same parent, which are behind it anyway.
#[derive(Debug)]
struct CaptureStream {
    stream: RawStream,
    parent: RawStream,
    free: bool,
}

impl GpuCapture {
    /// Begins one on a new stream, of the priority of `like`.
    pub(crate) fn begin(like: &GpuStream) -> Result<Self> {
        let gpu = like.gpu();
        let stream = Arc::new(gpu.create_stream(like.level)?);
        let mut captures = gpu.captures();
        gpu.driver().begin_capture(stream.core.raw()).map_err(|failure| gpu.context.error(failure))?;
        *captures += 1;
        drop(captures);
        let events = EventPool::new(Arc::clone(&gpu.context), false);
        Ok(Self { stream, streams: Mutex::default(), events, changing: Mutex::default() })
    }

    /// The stream that is captured.
    pub(crate) fn stream(&self) -> &Arc<GpuStream> {
        &self.stream
    }

    /// Those of its forks and joins.
    pub(super) fn events(&self) -> &Arc<EventPool> {
        &self.events
    }

    fn streams(&self) -> MutexGuard<'_, Vec<CaptureStream>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For one call that captures; threads take turns.
    pub(crate) fn change(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A stream for a group. The context must be current.
    pub(super) fn acquire(&self, parent: RawStream) -> Result<RawStream> {
        let mut streams = self.streams();
        if let Some(group) = streams.iter_mut().find(|group| group.free && group.parent == parent) {
            group.free = false;
            return Ok(group.stream);
        }
        let gpu = self.stream.gpu();
        let priority = self.stream.level.number(gpu.priorities);
        let stream = gpu.driver().create_stream(priority).map_err(|failure| gpu.context.error(failure))?;
        streams.push(CaptureStream { stream, parent, free: false });
        Ok(stream)
    }

    /// Its group has been joined.
    pub(super) fn release(&self, stream: RawStream) {
        if let Some(group) = self.streams().iter_mut().find(|group| group.stream == stream) {
            group.free = true;
        }
    }

    /// Ends the capture; to be called once, when nothing is captured any more.
    pub(crate) fn end(&self) -> Result<CapturedGraph> {
        let gpu = self.stream.gpu();
        let bound = gpu.context.bind().inspect_err(|_| gpu.context.bind_to_destroy());
        let captured = end(gpu.driver(), self.stream.core.raw());
        *gpu.captures() -= 1;
        for group in self.streams().drain(..) {
            let _ = gpu.driver().destroy_stream(group.stream); // nothing but captured work was on it
        }
        let captured = captured.map(|raw| CapturedGraph { raw, gpu: Arc::clone(gpu) });
        bound.and_then(|()| captured.map_err(|failure| gpu.context.error(failure)))
    }
}

/// What a capture gives.
#[derive(Debug)]
pub(crate) struct CapturedGraph {
    raw: RawGraph,
    gpu: Arc<Gpu>,
}

impl CapturedGraph {
    /// Makes it fit to be launched. The context must be current.
    pub(crate) fn instantiate(&self) -> Result<GpuGraph> {
        let exec = self.gpu.with_memory(|| self.gpu.driver().instantiate_graph(self.raw));
        let exec = exec.map_err(|failure| self.gpu.context.error(failure))?;
        Ok(GpuGraph { exec, gpu: Arc::clone(&self.gpu) })
    }
}

impl Drop for CapturedGraph {
    fn drop(&mut self) {
        let _ = self.gpu.driver().destroy_graph(self.raw); // an instance does not need it
    }
}

/// Ends a capture for certain: a call that has failed may not have ended it.
fn end(driver: &'static dyn Driver, stream: RawStream) -> std::result::Result<RawGraph, Failure> {
    driver.end_capture(stream).inspect_err(|_| {
        if driver.is_capturing(stream).unwrap_or(true)
            && let Ok(graph) = driver.end_capture(stream)
        {
            let _ = driver.destroy_graph(graph); // the first failure is the one to tell
        }
    })
}

/// A graph that can be launched. The driver lets each launch begin behind the one before.
#[derive(Debug)]
pub(crate) struct GpuGraph {
    exec: RawGraphExec,
    gpu: Arc<Gpu>,
}

impl GpuGraph {
    /// The device.
    pub(crate) fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// Queues it. Nobody else may be launching it, and the context must be current.
    pub(crate) fn launch(&self, stream: &GpuStream) -> Result<()> {
        let launched = self.gpu.with_memory(|| self.gpu.driver().launch_graph(self.exec, stream.core.raw()));
        launched.map_err(|failure| self.gpu.context.error(failure))
    }
}

impl Drop for GpuGraph {
    /// A launch that is under way goes on: the driver destroys the graph behind it.
    fn drop(&mut self) {
        self.gpu.context.bind_to_destroy();
        let _ = self.gpu.driver().destroy_graph_exec(self.exec);
    }
}

impl Gpu {
    fn captures(&self) -> MutexGuard<'_, usize> {
        self.capturing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the work of our own streams, and not for what other libraries may have queued, which need not end. Does nothing while a capture
    /// is under way, which that would break.
    pub(super) fn synchronize_own(&self, why: Wait) -> std::result::Result<(), Failure> {
        let captures = self.captures();
        if *captures == 0 { self.streams.synchronize(why) } else { Ok(()) }
    }

    /// Waits for all work of the device; `None`: a capture is under way, which that would break.
    pub(super) fn synchronize(&self, why: Wait) -> Option<std::result::Result<(), Failure>> {
        let captures = self.captures();
        (*captures == 0).then(|| self.driver().synchronize_device(why))
    }
}
