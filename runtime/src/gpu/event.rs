//! Events: pooled, because creating one costs more than recording it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::Gpu;
use super::context::Context;
use super::driver::{RawEvent, RawStream};
use super::wait::Wait;
use crate::error::Result;
use crate::trace::Begun;

/// Events of one device that are not in use. They are created on demand and destroyed with the pool. There are never more of them than
/// were in use at the same time.
///
/// An event may be returned while a stream still waits for it: a wait refers to what the event had recorded when the wait was queued, so
/// recording the event again does not affect the wait.
#[derive(Debug)]
pub(super) struct EventPool {
    context: Arc<Context>,
    timing: bool,
    /// Whether waits for its events are traced.
    traced: bool,
    free: Mutex<Vec<RawEvent>>,
}

impl EventPool {
    /// An empty pool, of events with a time or of cheaper events without.
    pub(super) fn new(context: Arc<Context>, timing: bool) -> Arc<Self> {
        Arc::new(Self { context, timing, traced: true, free: Mutex::new(Vec::new()) })
    }

    /// An empty pool for the events of a capture.
    pub(super) fn of_capture(context: Arc<Context>) -> Arc<Self> {
        Arc::new(Self { context, timing: false, traced: false, free: Mutex::new(Vec::new()) })
    }

    /// Records an event on a stream. The context must be current.
    pub(super) fn record(self: &Arc<Self>, stream: RawStream) -> Result<PooledEvent> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let raw = match free {
            Some(raw) => raw,
            None => {
                self.context.bind()?; // what a host part has called may have made another context current
                self.context.driver().create_event(self.timing).map_err(|failure| self.context.error(failure))?
            }
        };
        let mark = if self.context.trace.is_on() { Some(self.context.trace.mark()) } else { None };
        if let Err(failure) = self.context.driver().record_event(raw, stream) {
            let _ = self.context.driver().destroy_event(raw); // it must not be used again
            return Err(self.context.error(failure));
        }
        Ok(PooledEvent { raw, stream, mark, pool: Arc::clone(self) })
    }
}

impl Drop for EventPool {
    fn drop(&mut self) {
        self.context.bind_to_destroy();
        for event in self.free.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = self.context.driver().destroy_event(event);
        }
    }
}

/// A recorded event. Dropping it returns it to its pool.
#[derive(Debug)]
pub(super) struct PooledEvent {
    raw: RawEvent,
    /// The stream on which it was recorded.
    stream: RawStream,
    /// While the device is traced: its place among the records.
    mark: Option<Begun>,
    pool: Arc<EventPool>,
}

impl PooledEvent {
    /// Makes a stream of the same device wait for what was recorded. The context must be current.
    pub(super) fn wait_on(&self, stream: RawStream, why: Wait) -> Result<()> {
        let trace = &self.pool.context.trace;
        if trace.is_on()
            && self.pool.traced
            && let (Some(mark), Some(why)) = (self.mark, why.traced())
        {
            trace.wait(self.stream.0.addr(), mark, stream.0.addr(), why);
        }
        self.wait_in(&self.pool.context, stream, why)
    }

    /// Makes a stream of any device wait for what was recorded. Its context must be current; a failure is one of that device. It is not traced.
    pub(super) fn wait_in(&self, waiter: &Context, stream: RawStream, why: Wait) -> Result<()> {
        waiter.driver().wait_event(stream, self.raw, why).map_err(|failure| waiter.error(failure))
    }

    /// Blocks until what was recorded is complete. Any context must be current.
    pub(super) fn synchronize(&self, why: Wait) -> Result<()> {
        self.pool.context.driver().synchronize_event(self.raw, why).map_err(|failure| self.pool.context.error(failure))
    }

    /// Milliseconds from another event of the device, if both are complete and have times. The context must be current.
    pub(super) fn since(&self, start: &PooledEvent) -> Result<f32> {
        let context = &self.pool.context;
        context.driver().elapsed(start.raw, self.raw).map_err(|failure| context.error(failure))
    }

    /// Whether what was recorded is complete. Any context must be current.
    pub(super) fn is_complete(&self) -> Result<bool> {
        self.pool.context.driver().event_is_complete(self.raw).map_err(|failure| self.pool.context.error(failure))
    }
}

impl Drop for PooledEvent {
    fn drop(&mut self) {
        self.pool.free.lock().unwrap_or_else(PoisonError::into_inner).push(self.raw);
    }
}

/// An event that the user holds: recorded once, with a time.
#[derive(Debug)]
pub(crate) struct GpuEvent {
    pub(super) event: PooledEvent,
    pub(crate) gpu: Arc<Gpu>,
}

impl GpuEvent {
    /// Blocks until what was recorded is complete, then reports a panic of device code.
    pub(crate) fn synchronize(&self) -> Result<()> {
        self.wait_for_work()?;
        self.gpu.take_panic(None)
    }

    /// Blocks until what was recorded is complete.
    pub(crate) fn wait_for_work(&self) -> Result<()> {
        self.gpu.context.bind()?;
        self.event.synchronize(Wait::SynchronizeEvent)
    }

    /// Whether what was recorded is complete; does not block.
    pub(crate) fn is_complete(&self) -> Result<bool> {
        self.gpu.context.bind()?;
        self.event.is_complete()
    }

    /// The time on the device from `start` to this event, with a resolution of about half a microsecond; zero if `start` was recorded
    /// later. Blocks until both are complete.
    pub(crate) fn elapsed_since(&self, start: &GpuEvent) -> Result<Duration> {
        let context = &self.gpu.context;
        context.bind()?;
        for event in [start, self] {
            if !event.event.is_complete()? {
                event.event.synchronize(Wait::Time)?;
            }
        }
        let milliseconds = self.event.since(&start.event)?;
        Ok(Duration::from_secs_f64((f64::from(milliseconds) / 1e3).max(0.0)))
    }
}
