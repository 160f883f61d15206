//! Forks and joins.

use std::sync::Arc;

use super::driver::RawStream;
use super::event::{EventPool, PooledEvent, Recorded, StreamHandle};
use super::graph::GpuCapture;
use super::launch::GpuRun;
use super::pool::{Held, StreamPool};
use super::stream::{Lane, Lanes};
use super::trace::GpuSpan;
use super::wait::Wait;
use crate::error::Result;
use crate::model::kernel::{Groups, Kernel};
use crate::trace::{Entered, Work, nvtx};

/// A `stream_parallel!` in progress. It makes exactly these calls: it records the fork event and
/// acquires a stream for each group; for each group it makes the stream wait for the fork event,
/// launches the loops, and records the group's done event; at the join it makes the parent wait for
/// each group. When the pools are warm, nothing is created, allocated or synchronized.
///
/// If it is dropped without [`join`](Self::join), on an error or a panic of host code, it still
/// joins: the parent never runs ahead of a group. If a done event cannot be recorded or waited for,
/// the host waits instead.
#[derive(Debug)]
pub(crate) struct GpuFork<'a, const G: usize> {
    run: &'a GpuRun<'a>,
    parent: StreamHandle,
    fork: PooledEvent,
    /// The streams of the groups, until they are released.
    lanes: [Option<Held<Lane>>; G],
    /// The ends of the groups. A group that has not begun has none, and neither has one for which
    /// the host has waited.
    done: [Option<Recorded>; G],
    trace: Traced<'a>,
    current: Option<usize>,
    joined: bool,
}

/// What a trace records of a fork.
#[derive(Debug)]
struct Traced<'a> {
    described: &'static Groups,
    /// From the fork to the join, on the parent's stream.
    span: Option<GpuSpan<'a>>,
    /// The scope of the current group.
    group: Option<Entered>,
    /// The range of the current group.
    range: Option<nvtx::Range>,
}

impl GpuRun<'_> {
    /// Begins a `stream_parallel!` of `G` groups: records the fork event on the surrounding stream.
    pub(crate) fn fork<const G: usize>(
        &self,
        parent: StreamHandle,
        kernel: &'static Kernel,
        described: &'static Groups,
    ) -> Result<GpuFork<'_, G>> {
        self.resume()?;
        let span = self.span(parent, Work::Fork(kernel, described));
        let fork = {
            let _change = self.change();
            self.events().record(parent).map_err(|error| self.named(error))?
        };
        let lanes = self.acquire(parent).map_err(|error| self.named(error))?;
        let trace = Traced { described, span, group: None, range: None };
        Ok(GpuFork { run: self, parent, fork, lanes, done: [None; G], trace, current: None, joined: false })
    }

    /// The events of forks. A capture has its own.
    #[inline]
    fn events(&self) -> &Arc<EventPool> {
        self.capture.map_or(&self.stream.gpu.events, GpuCapture::events)
    }

    /// The streams of a fork's groups. A capture has its own.
    #[inline]
    fn lanes(&self) -> &StreamPool<Lane> {
        let stream = self.stream;
        self.capture.map_or_else(|| stream.gpu.lanes(stream.level), |capture| &capture.lanes)
    }

    fn acquire<const G: usize>(&self, parent: StreamHandle) -> Result<[Option<Held<Lane>>; G]> {
        let (gpu, captured) = (&self.stream.gpu, self.capture.is_some());
        let source = Lanes { context: &gpu.context, priority: self.stream.level.number(gpu.priorities), captured };
        self.lanes().acquire_all(&source, parent.raw)
    }
}

impl<const G: usize> GpuFork<'_, G> {
    /// Ends the previous group and begins group `number`. Returns the stream for its loops.
    pub(crate) fn enter(&mut self, number: usize) -> Result<StreamHandle> {
        self.end_group().and_then(|()| self.begin_group(number)).map_err(|error| self.run.named(error))
    }

    #[inline]
    fn begin_group(&mut self, number: usize) -> Result<StreamHandle> {
        self.run.stream.gpu.context.rebind()?;
        let Some(lane) = self.lane(number) else {
            return Ok(self.parent); // the macro counts its groups
        };
        {
            let _change = self.run.change();
            self.fork.wait_on(lane.stream, Wait::Fork)?;
        }
        self.current = Some(number);
        let Traced { described, span, group: scope, range } = &mut self.trace;
        *range = nvtx::group(described, number);
        *scope =
            span.as_ref().and_then(|fork| self.run.stream.gpu.trace().enter_group(fork.begun(), described, number));
        Ok(StreamHandle::ours(lane.stream))
    }

    /// The stream of a group.
    #[inline]
    fn lane(&self, number: usize) -> Option<Lane> {
        self.lanes.get(number)?.as_ref().map(|held| held.stream)
    }

    /// The host waits if the parent cannot be made to wait. A failed capture has queued nothing.
    fn settle(&self, stream: RawStream, why: Wait) {
        if self.run.capture.is_none() {
            self.run.stream.gpu.context.settle(stream, why);
        }
    }

    /// Ends the last group and makes the parent wait for all of them. To be called once.
    pub(crate) fn join(&mut self) -> Result<()> {
        self.join_now().map_err(|error| self.run.named(error))
    }

    #[inline]
    fn end_group(&mut self) -> Result<()> {
        (self.trace.group, self.trace.range) = (None, None);
        let Some(number) = self.current.take() else { return Ok(()) };
        let Some(Lane { stream, done }) = self.lane(number) else { return Ok(()) };
        let context = &self.run.stream.gpu.context;
        let recorded = {
            let _change = self.run.change();
            context.rebind().and_then(|()| self.run.events().record_own(done, stream))
        };
        match recorded {
            Ok(done) => {
                self.done[number] = Some(done);
                Ok(())
            }
            Err(error) => {
                self.settle(stream, Wait::Unrecorded);
                Err(error)
            }
        }
    }

    fn join_now(&mut self) -> Result<()> {
        self.joined = true;
        let gpu = &self.run.stream.gpu;
        let mut result = gpu.context.rebind().and(self.end_group());
        for done in self.done.iter().flatten() {
            let joined = {
                let _change = self.run.change();
                done.wait_on(&gpu.context, self.parent.raw, Wait::Join)
            };
            if let Err(error) = joined {
                self.settle(done.stream(), Wait::Unjoined);
                result = result.and(Err(error));
            }
        }
        self.run.lanes().release(self.lanes.iter_mut().filter_map(Option::take));
        self.trace.span = None;
        result
    }
}

impl<const G: usize> Drop for GpuFork<'_, G> {
    fn drop(&mut self) {
        if !self.joined {
            let _ = self.join_now(); // the error or the panic in progress is the one to report
        }
    }
}
