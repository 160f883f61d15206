//! Captures and the graphs that come of them.
//!
//! A capture has a stream of its own, so that what the program does on its streams meanwhile stays out of it, and makes its own streams for
//! groups: one of the pool could be shared with a launch that is not captured. The driver's relaxed mode lets the thread allocate, copy and
//! compile on other streams meanwhile. What must not be done is to wait for the whole device; see [`Cuda::synchronize`].

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Cuda;
use super::driver::{self, Failure, RawGraph, RawGraphExec, RawStream};
use super::memory::Garbage;
use super::stream::{CudaStream, StreamCore};
use super::wait::Wait;
use crate::error::Result;

/// A capture under way.
#[derive(Debug)]
pub(crate) struct CudaCapture {
    stream: Arc<CudaStream>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    ended: bool,
    lanes: Vec<CaptureLane>,
}

/// A stream of a group. Once its group has ended it is free for later groups of the same parent, which are behind it anyway.
#[derive(Debug)]
struct CaptureLane {
    stream: RawStream,
    parent: RawStream,
    free: bool,
}

impl CudaCapture {
    /// Begins one on a new stream, of the priority of `like`.
    pub(crate) fn begin(like: &CudaStream) -> Result<Self> {
        let cuda = like.cuda();
        let stream = Arc::new(cuda.create_stream(like.level)?);
        cuda.collect_garbage();
        let mut captures = cuda.captures();
        driver::begin_capture(stream.core.raw()).map_err(|failure| cuda.context.error(failure))?;
        *captures += 1;
        drop(captures);
        Ok(Self { stream, state: Mutex::new(State { ended: false, lanes: Vec::new() }) })
    }

    /// The stream that is captured.
    pub(crate) fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A stream for a group. The context must be current.
    pub(super) fn acquire(&self, parent: RawStream) -> Result<RawStream> {
        let mut state = self.state();
        if let Some(lane) = state.lanes.iter_mut().find(|lane| lane.free && lane.parent == parent) {
            lane.free = false;
            return Ok(lane.stream);
        }
        let cuda = self.stream.cuda();
        let priority = self.stream.level.number(cuda.priorities);
        let stream = driver::create_stream(priority).map_err(|failure| cuda.context.error(failure))?;
        state.lanes.push(CaptureLane { stream, parent, free: false });
        Ok(stream)
    }

    /// Its group has been joined.
    pub(super) fn release(&self, stream: RawStream) {
        if let Some(lane) = self.state().lanes.iter_mut().find(|lane| lane.stream == stream) {
            lane.free = true;
        }
    }

    /// Ends the capture. At a second call there is nothing to end, which fails.
    pub(crate) fn end(&self) -> Result<CudaGraph> {
        let cuda = self.stream.cuda();
        let error = |failure| cuda.context.error(failure);
        let mut state = self.state();
        if std::mem::replace(&mut state.ended, true) {
            return Err(error(Failure::new("cuStreamEndCapture", driver::ERROR_ILLEGAL_STATE)));
        }
        let bound = cuda.context.bind().inspect_err(|_| cuda.context.bind_to_destroy());
        let captured = end(self.stream.core.raw());
        *cuda.captures() -= 1;
        for lane in state.lanes.drain(..) {
            let _ = driver::destroy_stream(lane.stream); // nothing but captured work was on it
        }
        let graph = match (bound, captured) {
            (Ok(()), captured) => captured.map_err(error)?,
            (Err(unbound), captured) => {
                let _ = captured.and_then(driver::destroy_graph); // the first failure is the one to tell
                return Err(unbound);
            }
        };
        let exec = driver::instantiate_graph(graph);
        let _ = driver::destroy_graph(graph); // the instance does not need it
        Ok(CudaGraph { exec: exec.map_err(error)?, last: Mutex::new(None), cuda: Arc::clone(cuda) })
    }
}

/// Ends a capture for certain: a call that has failed may not have ended it.
fn end(stream: RawStream) -> std::result::Result<RawGraph, Failure> {
    driver::end_capture(stream).inspect_err(|_| {
        if driver::is_capturing(stream).unwrap_or(true)
            && let Ok(graph) = driver::end_capture(stream)
        {
            let _ = driver::destroy_graph(graph); // the first failure is the one to tell
        }
    })
}

/// A graph that can be launched. The driver lets each launch begin behind the one before.
#[derive(Debug)]
pub(crate) struct CudaGraph {
    exec: RawGraphExec,
    /// The stream of the last launch.
    last: Mutex<Option<Arc<StreamCore>>>,
    cuda: Arc<Cuda>,
}

impl CudaGraph {
    /// The device.
    pub(crate) fn cuda(&self) -> &Arc<Cuda> {
        &self.cuda
    }

    /// Makes the context current on this thread.
    pub(crate) fn bind(&self) -> Result<()> {
        self.cuda.context.bind()
    }

    /// Queues it. Nobody else may be launching it, and the context must be current.
    pub(crate) fn launch(&self, stream: &CudaStream) -> Result<()> {
        driver::launch_graph(self.exec, stream.core.raw()).map_err(|failure| self.cuda.context.error(failure))?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if !last.as_ref().is_some_and(|last| Arc::ptr_eq(last, &stream.core)) {
            *last = Some(Arc::clone(&stream.core));
        }
        Ok(())
    }
}

impl Drop for CudaGraph {
    /// Destroys it once its last launch is complete.
    fn drop(&mut self) {
        let cuda = &self.cuda;
        let after = match self.last.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            None => Some(Vec::new()),
            Some(last) => match cuda.context.bind().and_then(|()| last.last_event()) {
                Ok(event) => Some(event.into_iter().collect()),
                Err(_) => None,
            },
        };
        cuda.keep(Garbage::graph(self.exec, after));
        cuda.context.bind_to_destroy();
        cuda.collect_garbage();
    }
}

impl Cuda {
    fn captures(&self) -> MutexGuard<'_, usize> {
        self.capturing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for all work of the device; `None`: a capture is under way, which that would break.
    pub(super) fn synchronize(&self, why: Wait) -> Option<std::result::Result<(), Failure>> {
        let captures = self.captures();
        (*captures == 0).then(|| driver::synchronize_context(why))
    }
}
