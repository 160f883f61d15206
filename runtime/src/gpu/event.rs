//! Events: pooled, because creating one costs more than recording it.

use std::sync::Arc;
use std::time::Duration;

use super::Gpu;
use super::context::Context;
use super::driver::{RawEvent, RawStream};
use super::wait::Wait;
use crate::error::{Error, Result};
use crate::lock::Lock;
use crate::trace::Begun;

/// A stream on which work is queued.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StreamHandle {
    pub(super) raw: RawStream,
    /// Whether this crate has created it. Then it exists as long as the context, where events need
    /// that. Any other stream may be destroyed by its owner.
    pub(super) ours: bool,
}

impl StreamHandle {
    /// Of a stream that this crate has created.
    #[inline]
    pub(super) fn ours(raw: RawStream) -> Self {
        Self { raw, ours: true }
    }
}

/// Events of one device that are not in use. They are created on demand and destroyed with the
/// pool. There are never more of them than were in use at the same time, except in captures on HIP.
///
/// An event may be returned while a stream still waits for it: a wait refers to what the event had
/// recorded when the wait was queued, so recording the event again does not affect the wait.
#[derive(Debug)]
pub(super) struct EventPool {
    context: Arc<Context>,
    timing: bool,
    /// Whether waits for its events are traced.
    traced: bool,
    /// Whether an event is recorded once and then kept until the pool goes.
    once: bool,
    /// Whether events are only recorded on our own streams.
    on_ours: bool,
    free: Lock<Vec<RawEvent>>,
}

impl EventPool {
    /// An empty pool, of events with a time or of cheaper events without.
    pub(super) fn new(context: Arc<Context>, timing: bool) -> Arc<Self> {
        let on_ours = context.driver().events_need_their_streams();
        Arc::new(Self { context, timing, traced: true, once: false, on_ours, free: Lock::default() })
    }

    /// An empty pool for the events of a capture.
    pub(super) fn of_capture(context: Arc<Context>) -> Arc<Self> {
        let once = context.driver().records_once_in_a_capture();
        Arc::new(Self { context, timing: false, traced: false, once, on_ours: false, free: Lock::default() })
    }

    /// Records an event on a stream. The context must be current.
    #[inline]
    pub(super) fn record(self: &Arc<Self>, stream: StreamHandle) -> Result<PooledEvent> {
        if self.on_ours && !stream.ours {
            return self.record_elsewhere(stream.raw);
        }
        self.record_there(stream.raw)
    }

    /// Records an event for a stream of another library, which may destroy it: on a stream of this
    /// crate that waits for it.
    #[cold]
    fn record_elsewhere(self: &Arc<Self>, stream: RawStream) -> Result<PooledEvent> {
        let context = &self.context;
        context.bind()?; // a stream may be created
        if context.driver().is_capturing(stream).map_err(|failure| context.error(failure))? {
            return Err(Error::CAPTURED_ELSEWHERE); // the stream of this crate would join the capture
        }
        let there = self.record_there(stream)?; // nothing uses it once the wait is queued
        let here = context.stream_behind(stream).map_err(|failure| context.error(failure))?;
        let event = there.wait_in(context, here, Wait::AfterForeign).and_then(|()| self.record_there(here));
        context.give_back_stream(here);
        event.map(|mut event| {
            event.recorded.stream = stream;
            event
        })
    }

    fn record_there(self: &Arc<Self>, stream: RawStream) -> Result<PooledEvent> {
        let free = if self.once { None } else { self.free.lock().pop() };
        let raw = free.map_or_else(|| self.create(), Ok)?;
        match Recorded::now(&self.context, raw, stream, self.traced) {
            Ok(recorded) => Ok(PooledEvent { recorded, pool: Arc::clone(self) }),
            Err(error) => {
                let _ = self.context.driver().destroy_event(raw); // it must not be used again
                Err(error)
            }
        }
    }

    fn create(&self) -> Result<RawEvent> {
        self.context.bind()?; // what a host part has called may have made another context current
        self.context.driver().create_event(self.timing).map_err(|failure| self.context.error(failure))
    }

    /// Records a stream's own event, or, where an event is recorded once, a new one of the pool.
    /// The context must be current.
    #[inline]
    pub(super) fn record_own(&self, own: RawEvent, stream: RawStream) -> Result<Recorded> {
        let event = if self.once { self.create()? } else { own };
        if self.once {
            self.free.lock().push(event);
        }
        Recorded::now(&self.context, event, stream, self.traced)
    }
}

impl Drop for EventPool {
    fn drop(&mut self) {
        self.context.bind_to_destroy();
        for event in self.free.get_mut().drain(..) {
            let _ = self.context.driver().destroy_event(event);
        }
    }
}

/// What an event has recorded last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recorded {
    event: RawEvent,
    /// The stream whose work it is behind.
    stream: RawStream,
    /// While the device is traced: its place among the records.
    mark: Option<Begun>,
}

impl Recorded {
    /// Records an event on a stream. The context must be current. Waits for it are traced, unless
    /// they are those of a capture.
    #[inline]
    pub(super) fn now(context: &Context, event: RawEvent, stream: RawStream, traced: bool) -> Result<Self> {
        let mark = if traced && context.trace.is_on() { Some(context.trace.mark()) } else { None };
        context.call(|| context.driver().record_event(event, stream)).map_err(|failure| context.error(failure))?;
        Ok(Self { event, stream, mark })
    }

    /// The stream whose work it is behind.
    #[inline]
    pub(super) fn stream(&self) -> RawStream {
        self.stream
    }

    /// Makes a stream of the same device wait for what was recorded. The context must be current.
    #[inline]
    pub(super) fn wait_on(&self, context: &Context, stream: RawStream, why: Wait) -> Result<()> {
        if let Some(mark) = self.mark
            && context.trace.is_on()
            && let Some(why) = why.traced()
        {
            context.trace.wait(self.stream.0.addr(), mark, stream.0.addr(), why);
        }
        self.wait_in(context, stream, why)
    }

    #[inline]
    fn wait_in(&self, waiter: &Context, stream: RawStream, why: Wait) -> Result<()> {
        waiter.call(|| waiter.driver().wait_event(stream, self.event, why)).map_err(|failure| waiter.error(failure))
    }
}

/// A recorded event of a pool. Dropping it returns it.
#[derive(Debug)]
pub(super) struct PooledEvent {
    recorded: Recorded,
    pool: Arc<EventPool>,
}

impl PooledEvent {
    /// Makes a stream of the same device wait for what was recorded. The context must be current.
    #[inline]
    pub(super) fn wait_on(&self, stream: RawStream, why: Wait) -> Result<()> {
        self.recorded.wait_on(&self.pool.context, stream, why)
    }

    /// Makes a stream of any device wait for what was recorded. Its context must be current; a
    /// failure is one of that device. It is not traced.
    pub(super) fn wait_in(&self, waiter: &Context, stream: RawStream, why: Wait) -> Result<()> {
        self.recorded.wait_in(waiter, stream, why)
    }

    /// Blocks until what was recorded is complete. Any context must be current.
    pub(super) fn synchronize(&self, why: Wait) -> Result<()> {
        self.pool
            .context
            .driver()
            .synchronize_event(self.recorded.event, why)
            .map_err(|failure| self.pool.context.error(failure))
    }

    /// Milliseconds from another event of the device, if both are complete and have times. The
    /// context must be current.
    pub(super) fn since(&self, start: &PooledEvent) -> Result<f32> {
        let context = &self.pool.context;
        context.driver().elapsed(start.recorded.event, self.recorded.event).map_err(|failure| context.error(failure))
    }

    /// Whether what was recorded is complete. Any context must be current.
    pub(super) fn is_complete(&self) -> Result<bool> {
        self.pool
            .context
            .driver()
            .event_is_complete(self.recorded.event)
            .map_err(|failure| self.pool.context.error(failure))
    }
}

impl Drop for PooledEvent {
    fn drop(&mut self) {
        self.pool.free.lock().push(self.recorded.event);
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

    /// The time on the device from `start` to this event, with a resolution of about half a
    /// microsecond; zero if `start` was recorded later. Blocks until both are complete.
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
