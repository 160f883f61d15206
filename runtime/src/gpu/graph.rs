//! Captures and graphs.
//!
//! A capture uses a separate stream, so that it does not record other work that the program does on
//! its streams in the meantime. It also creates its own streams and events for groups, because
//! those of the pools could be shared with a launch that is not captured. In the driver's relaxed
//! mode, the thread can allocate, copy and compile on other streams during the capture. It must not
//! wait for the whole device; see [`Gpu::synchronize`].

use std::cell::RefCell;
use std::sync::{Arc, MutexGuard};

use super::Gpu;
use super::driver::{Driver, Failure, RawGraph, RawGraphExec, RawStream};
use super::event::EventPool;
use super::memory::GpuMemory;
use super::pool::StreamPool;
use super::stream::{GpuStream, Lane, Lanes};
use super::wait::Wait;
use crate::error::Result;
use crate::lock::Lock;
use crate::order::hazard::AccessMode;

/// A capture in progress.
#[derive(Debug)]
pub(crate) struct GpuCapture {
    stream: Arc<GpuStream>,
    /// The streams of its groups. They are free for later groups of the same parent, which come
    /// after the first group anyway.
    pub(super) lanes: StreamPool<Lane>,
    /// The events of its forks. An event that was recorded in a capture refers to its nodes until
    /// it is recorded again, so another thread must not record it in the meantime.
    events: Arc<EventPool>,
    /// Memory for what reductions compute on the way, with the stream that uses it. It belongs to
    /// the graph.
    scratch: Lock<Vec<(RawStream, Arc<GpuMemory>)>>,
    /// Held during each call that captures, because the driver does not synchronize changes of a
    /// graph.
    changing: Lock<()>,
}

impl GpuCapture {
    /// Begins a capture on a new stream with the priority of `like`.
    pub(crate) fn begin(like: &GpuStream) -> Result<Self> {
        let gpu = like.gpu();
        let stream = Arc::new(gpu.create_stream(like.level)?);
        let mut captures = gpu.captures();
        gpu.driver().begin_capture(stream.core.raw()).map_err(|failure| gpu.context.error(failure))?;
        *captures += 1;
        drop(captures);
        let events = EventPool::of_capture(Arc::clone(&gpu.context));
        let lanes = StreamPool::new(usize::MAX, usize::MAX);
        Ok(Self { stream, lanes, events, scratch: Lock::default(), changing: Lock::default() })
    }

    /// The stream that is captured.
    pub(crate) fn stream(&self) -> &Arc<GpuStream> {
        &self.stream
    }

    /// The events of its forks and joins.
    pub(super) fn events(&self) -> &Arc<EventPool> {
        &self.events
    }

    /// Locks for one call that captures, or for the body of a library kernel. A thread can lock
    /// again what it has locked, because such a body may launch on the captured stream.
    pub(crate) fn change(&self) -> Change<'_> {
        let me = std::ptr::from_ref(self);
        // In destructors of thread-locals, the list may be gone.
        let held = HELD.try_with(|held| held.borrow().contains(&me)).unwrap_or(false);
        let lock = (!held).then(|| self.changing.lock());
        if lock.is_some() {
            let _ = HELD.try_with(|held| held.borrow_mut().push(me));
        }
        Change { capture: self, lock }
    }

    /// Memory for work on a stream of this capture. What the stream does is in order, so that it
    /// gets the same memory again when no statement holds it any more: the work of two threads on
    /// one stream may alternate.
    pub(super) fn scratch(&self, stream: RawStream, bytes: usize) -> Result<Arc<GpuMemory>> {
        let mut scratch = self.scratch.lock();
        let free = |(of, memory): &&(RawStream, Arc<GpuMemory>)| {
            *of == stream && memory.len() >= bytes && Arc::strong_count(memory) == 1
        };
        if let Some((_, memory)) = scratch.iter().find(free) {
            return Ok(Arc::clone(memory));
        }
        let memory = Arc::new(GpuMemory::allocate(self.stream.gpu(), bytes)?);
        scratch.push((stream, Arc::clone(&memory)));
        Ok(memory)
    }

    /// Ends the capture. To be called once, after the last captured work.
    pub(crate) fn end(&self) -> Result<CapturedGraph> {
        let gpu = self.stream.gpu();
        let bound = gpu.context.bind().inspect_err(|_| gpu.context.bind_to_destroy());
        let captured = end(gpu.driver(), self.stream.core.raw());
        *gpu.captures() -= 1;
        self.lanes.trim(&Lanes { context: &gpu.context, priority: 0, captured: true }); // only captured work was on them
        let scratch = std::mem::take(&mut *self.scratch.lock());
        let scratch = scratch.into_iter().map(|(_, memory)| memory).collect();
        let captured = captured.map(|raw| CapturedGraph { raw, scratch, gpu: Arc::clone(gpu) });
        bound.and_then(|()| captured.map_err(|failure| gpu.context.error(failure)))
    }
}

thread_local! {
    /// The captures that this thread has locked.
    static HELD: RefCell<Vec<*const GpuCapture>> = const { RefCell::new(Vec::new()) };
}

/// The lock of a capture. Of several on one thread, the first unlocks.
#[derive(Debug)]
pub(crate) struct Change<'a> {
    capture: &'a GpuCapture,
    lock: Option<MutexGuard<'a, ()>>,
}

impl Drop for Change<'_> {
    fn drop(&mut self) {
        if self.lock.is_some() {
            let _ = HELD.try_with(|held| held.borrow_mut().retain(|capture| !std::ptr::eq(*capture, self.capture)));
        }
    }
}

/// The result of a capture.
#[derive(Debug)]
pub(crate) struct CapturedGraph {
    raw: RawGraph,
    scratch: Vec<Arc<GpuMemory>>,
    gpu: Arc<Gpu>,
}

impl CapturedGraph {
    /// Makes a graph that can be launched. The context must be current.
    pub(crate) fn instantiate(&self) -> Result<GpuGraph> {
        let exec = self.gpu.with_memory(|| self.gpu.driver().instantiate_graph(self.raw));
        let exec = exec.map_err(|failure| self.gpu.context.error(failure))?;
        Ok(GpuGraph { exec, scratch: self.scratch.clone(), gpu: Arc::clone(&self.gpu) })
    }
}

impl Drop for CapturedGraph {
    fn drop(&mut self) {
        let _ = self.gpu.driver().destroy_graph(self.raw); // an instance does not need it
    }
}

/// The codes of CUDA and HIP for a capture that a call has broken, and for one with streams that
/// have not joined.
const INVALIDATED: u32 = 901;
const UNJOINED: u32 = 904;

/// Ends a capture reliably: a failed call may have left the capture in progress. With these two
/// codes it is over. AMD's runtime then reports that the stream still captures, and a second call
/// would damage its list of such streams.
fn end(driver: &'static dyn Driver, stream: RawStream) -> std::result::Result<RawGraph, Failure> {
    driver.end_capture(stream).inspect_err(|failure| {
        if !matches!(failure.code, INVALIDATED | UNJOINED)
            && driver.is_capturing(stream).unwrap_or(true)
            && let Ok(graph) = driver.end_capture(stream)
        {
            let _ = driver.destroy_graph(graph); // the first failure is the one to report
        }
    })
}

/// A graph that can be launched. The driver starts each launch after the previous one.
#[derive(Debug)]
pub(crate) struct GpuGraph {
    exec: RawGraphExec,
    scratch: Vec<Arc<GpuMemory>>,
    gpu: Arc<Gpu>,
}

impl GpuGraph {
    /// The device.
    pub(crate) fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// Queues the graph. No other thread may launch it at the same time, and the context must be
    /// [entered](Context::enter).
    pub(crate) fn launch(&self, stream: &GpuStream) -> Result<()> {
        for memory in &self.scratch {
            memory.order(0..memory.len(), AccessMode::Write, stream)?;
        }
        let launch = || self.gpu.driver().launch_graph(self.exec, stream.core.raw());
        let launched = self.gpu.with_memory(|| self.gpu.context.call(launch));
        launched.map_err(|failure| self.gpu.context.error(failure))
    }
}

impl Drop for GpuGraph {
    /// A launch in progress continues: the driver destroys the graph after it.
    fn drop(&mut self) {
        self.gpu.context.bind_to_destroy();
        let _ = self.gpu.driver().destroy_graph_exec(self.exec);
    }
}

impl Gpu {
    fn captures(&self) -> MutexGuard<'_, usize> {
        self.capturing.lock()
    }

    /// Waits for the work of our own streams, but not for work of other libraries, which may never
    /// end. Does nothing while a capture is in progress, because waiting would break it.
    pub(super) fn synchronize_own(&self, why: Wait) -> std::result::Result<(), Failure> {
        let captures = self.captures();
        if *captures == 0 { self.streams.synchronize(why) } else { Ok(()) }
    }

    /// Waits for all work of the device. `None` if a capture is in progress, because waiting would
    /// break it.
    pub(super) fn synchronize(&self, why: Wait) -> Option<std::result::Result<(), Failure>> {
        let captures = self.captures();
        (*captures == 0).then(|| self.driver().synchronize_device(why))
    }
}
