//! Streams: those of the user, and the pools of streams for groups and copies.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use super::Gpu;
use super::context::Context;
use super::driver::{Failure, RawEvent, RawStream};
use super::event::{EventPool, GpuEvent, PooledEvent, StreamHandle};
use super::pool::StreamSource;
use super::wait::Wait;
use crate::error::{Error, Result};
use crate::lock::Lock;
use crate::order::hazard::StreamId;
use crate::owner::Owner;

/// The part of a stream that outlives its handle. It exists as long as a memory block remembers a
/// use on the stream.
///
/// Our own streams are given back when the handle is gone and the last block has forgotten them.
/// The owner of a wrapped stream may destroy it as soon as the handle is gone. So dropping the
/// handle records an event on it, and later waits wait for that event.
#[derive(Debug)]
pub(crate) struct StreamCore {
    id: u64,
    handle: StreamHandle,
    /// Whether it is given back when this value goes.
    owned: bool,
    /// Whether a launch keeps the stream, so that nothing is to be done when the handle is gone.
    lent: bool,
    /// Whether no handle is left, so that nothing more will be queued.
    abandoned: AtomicBool,
    /// The last event of a wrapped stream, recorded when the handle was dropped. If another library
    /// captured the stream then, there is none, and a wait for it fails.
    last: OnceLock<Result<Arc<PooledEvent>>>,
    events: Arc<EventPool>,
    context: Arc<Context>,
    /// Held while a thread without a handle uses a wrapped stream.
    external: Lock<()>,
}

impl StreamCore {
    fn new(handle: StreamHandle, gpu: &Gpu) -> Arc<Self> {
        Self::made(handle, false, gpu)
    }

    fn made(handle: StreamHandle, lent: bool, gpu: &Gpu) -> Arc<Self> {
        let owned = handle.ours && !lent;
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let core = Arc::new(Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            handle,
            owned,
            lent,
            abandoned: AtomicBool::new(false),
            last: OnceLock::new(),
            events: Arc::clone(&gpu.events),
            context: Arc::clone(&gpu.context),
            external: Lock::new(()),
        });
        if owned {
            gpu.streams.add(&core);
        }
        core
    }

    #[cfg(feature = "cudarc")]
    /// The work on another library's stream so far, as a stream to which nothing more comes. The
    /// context must be current.
    pub(super) fn past(raw: RawStream, gpu: &Gpu) -> Result<Arc<Self>> {
        let handle = StreamHandle { raw, ours: false };
        let event = Arc::new(gpu.events.record(handle)?);
        let core = Self::new(handle, gpu);
        let _ = core.last.set(Ok(event)); // it is new
        core.abandoned.store(true, Ordering::Release);
        Ok(core)
    }

    #[inline]
    pub(super) fn raw(&self) -> RawStream {
        self.handle.raw
    }

    #[inline]
    pub(super) fn handle(&self) -> StreamHandle {
        self.handle
    }

    /// Whether calls on the stream are safe as long as this value exists.
    #[inline]
    pub(super) fn is_owned(&self) -> bool {
        self.owned
    }

    /// Records an event after all work queued so far. The context must be current.
    pub(super) fn record(&self) -> Result<PooledEvent> {
        self.events.record(self.handle)
    }

    /// The context that must be current for calls on the stream.
    pub(super) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Whether it is a stream of the device with this context.
    pub(super) fn is_of(&self, context: &Arc<Context>) -> bool {
        Arc::ptr_eq(&self.context, context)
    }

    /// Makes `waiter`, which may belong to another device, wait for everything queued on this
    /// stream so far. The waiter's context must be current.
    pub(super) fn make_wait(&self, waiter: &StreamCore, why: Wait) -> Result<()> {
        self.make_raw_wait(&waiter.context, waiter.raw(), why)
    }

    /// The same for a stream of this context.
    pub(super) fn make_raw_wait(&self, context: &Context, raw: RawStream, why: Wait) -> Result<()> {
        let _guard = (!self.owned).then(|| self.external.lock());
        let wait = |event: &PooledEvent, why| match self.is_lost_to(context) {
            Some(true) => Ok(()),
            Some(false) => event.wait_in(context, raw, why),
            None => event.wait_on(raw, why),
        };
        match self.last.get() {
            Some(Ok(event)) => wait(event, Wait::AfterForeign),
            Some(Err(error)) => Err(error.clone()),
            // Recording the last event failed, so the host has waited.
            None if !self.owned && self.abandoned.load(Ordering::Acquire) => Ok(()),
            None if self.is_lost_to(context) == Some(true) => Ok(()),
            None => wait(&self.record_from(context)?, why),
        }
    }

    /// For a caller of another device: whether this stream's device is lost. No work runs there any
    /// more, so there is nothing to wait for. `None`: it is the caller's own device.
    fn is_lost_to(&self, caller: &Context) -> Option<bool> {
        (!std::ptr::eq(&*self.context, caller)).then(|| self.context.is_lost())
    }

    /// An event after all work queued so far, for a caller with another context.
    fn record_from(&self, caller: &Context) -> Result<PooledEvent> {
        let _here = self.context.visit(caller)?;
        self.mark()
    }

    /// Records an event, unless another library captures the stream: its graph would get the event,
    /// and all work that waits for it. The context must be current.
    fn mark(&self) -> Result<PooledEvent> {
        let error = |failure| self.context.error(failure);
        if !self.owned && self.context.driver().is_capturing(self.raw()).map_err(error)? {
            return Err(Error::CAPTURED_ELSEWHERE);
        }
        self.events.record(self.handle)
    }

    /// An event after all work queued so far; `None` if no work can be left. The context of the
    /// `caller` must be current.
    pub(super) fn last_event(&self, caller: &Context) -> Result<Option<Arc<PooledEvent>>> {
        let _guard = (!self.owned).then(|| self.external.lock());
        match self.last.get() {
            Some(last) => last.clone().map(Some),
            None if !self.owned && self.abandoned.load(Ordering::Acquire) => Ok(None),
            None if self.is_lost_to(caller) == Some(true) => Ok(None),
            None => self.record_from(caller).map(|event| Some(Arc::new(event))),
        }
    }

    /// Blocks until everything queued on this stream so far is complete, or, if this stream cannot
    /// be waited for, until the device is idle. If even this fails, the device is lost. While
    /// another library captures the stream, this fails: to wait would break the capture. The
    /// context of the `caller` must be current.
    pub(super) fn settle(&self, caller: &Context, why: Wait) -> Result<()> {
        let waited = self.last_event(caller).and_then(|last| last.map_or(Ok(()), |event| event.synchronize(why)));
        waited.or_else(|error| {
            let is_captured = matches!(error, Error::NotCapturable { .. });
            if is_captured && self.last.get().is_none() {
                return Err(error);
            }
            let _here = self.context.visit(caller)?;
            self.context.driver().synchronize_device(why).map_err(|failure| match is_captured {
                true => error,
                false => self.context.error(failure.fatal()),
            })
        })
    }

    /// Whether no handle is left and all work is complete. The context of the `caller` must be
    /// current.
    pub(super) fn is_finished(&self, caller: &Context) -> bool {
        if self.is_lost_to(caller) == Some(true) {
            return true;
        }
        if !self.abandoned.load(Ordering::Acquire) {
            return false;
        }
        match self.last.get() {
            Some(last) => last.as_ref().is_ok_and(|event| event.is_complete().unwrap_or(false)),
            None => !self.owned || self.is_idle_from(caller).unwrap_or(false),
        }
    }

    fn is_idle_from(&self, caller: &Context) -> Result<bool> {
        let _here = self.context.visit(caller)?;
        self.context.driver().stream_is_idle(self.raw()).map_err(|failure| self.context.error(failure))
    }

    fn abandon(&self) {
        if self.lent {
            return;
        }
        let _guard = self.external.lock();
        if !self.owned {
            // `last` is set only here, once.
            match self.context.bind().and_then(|()| self.mark()) {
                Ok(event) => drop(self.last.set(Ok(Arc::new(event)))),
                // To wait would break the capture, and later there may be no stream.
                Err(Error::NotCapturable { .. }) => drop(self.last.set(Err(Error::DROPPED_IN_A_CAPTURE))),
                Err(_) => self.context.settle(self.raw(), Wait::Unmarked),
            }
        }
        self.abandoned.store(true, Ordering::Release);
    }
}

impl StreamId for Arc<StreamCore> {
    #[inline]
    fn id(&self) -> u64 {
        self.id
    }
}

impl Drop for StreamCore {
    fn drop(&mut self) {
        if self.owned {
            self.context.bind_to_destroy();
            self.context.give_back_stream(self.raw());
        }
    }
}

/// The streams that we created on a device, including those without handles whose work may still be
/// in progress.
#[derive(Debug, Default)]
pub(super) struct OwnStreams(Lock<Vec<Weak<StreamCore>>>);

impl OwnStreams {
    fn add(&self, core: &Arc<StreamCore>) {
        let mut all = self.0.lock();
        all.retain(|stream| stream.strong_count() > 0);
        all.push(Arc::downgrade(core));
    }

    /// Waits for the work on these streams, and so for the groups that have been joined into them.
    /// The context must be current, and none of the streams may be captured.
    pub(super) fn synchronize(&self, why: Wait) -> std::result::Result<(), Failure> {
        let all = self.0.lock().clone();
        all.iter()
            .filter_map(Weak::upgrade)
            .try_for_each(|stream| stream.context.driver().synchronize_stream(stream.raw(), why))
    }
}

/// The scheduling priority of a stream's work relative to other streams.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Priority {
    /// The lowest priority. Many GPUs have no level below [`Normal`](Self::Normal).
    Low,
    /// The default priority.
    #[default]
    Normal,
    /// The highest priority.
    High,
}

impl Priority {
    /// The driver's number in its range `(least, greatest)`, where less is more urgent and 0 is the
    /// default.
    pub(super) fn number(self, (least, greatest): (i32, i32)) -> i32 {
        match self {
            Self::Low => least,
            Self::Normal => 0.clamp(greatest.min(least), least.max(greatest)),
            Self::High => greatest,
        }
    }

    fn of_number(number: i32) -> Self {
        match number {
            1.. => Self::Low,
            0 => Self::Normal,
            _ => Self::High,
        }
    }
}

/// A stream that the user launches on.
#[derive(Debug)]
pub(crate) struct GpuStream {
    pub(super) core: Arc<StreamCore>,
    pub(super) level: Priority,
    pub(super) gpu: Arc<Gpu>,
    /// What keeps a stream of another library alive.
    keeper: Option<Owner>,
}

impl GpuStream {
    /// A new stream that overlaps with all others.
    pub(super) fn create(gpu: &Arc<Gpu>, level: Priority) -> Result<Self> {
        gpu.context.bind()?;
        let raw =
            gpu.context.create_stream(level.number(gpu.priorities)).map_err(|failure| gpu.context.error(failure))?;
        Ok(Self { core: StreamCore::new(StreamHandle::ours(raw), gpu), level, gpu: Arc::clone(gpu), keeper: None })
    }

    /// Wraps a stream of another library, which is never destroyed here.
    pub(super) fn wrap(gpu: &Arc<Gpu>, raw: RawStream, keeper: Option<Owner>) -> Result<Self> {
        gpu.context.bind()?;
        let priority = gpu.driver().stream_priority(raw).map_err(|failure| gpu.context.error(failure))?;
        let core = StreamCore::new(StreamHandle { raw, ours: false }, gpu);
        Ok(Self { core, level: Priority::of_number(priority), gpu: Arc::clone(gpu), keeper })
    }

    /// A handle for the body of a library kernel. `like` is the stream of the launch.
    pub(super) fn lent(like: &GpuStream, stream: StreamHandle) -> Self {
        let core = StreamCore::made(stream, true, &like.gpu);
        Self { core, level: like.level, gpu: Arc::clone(&like.gpu), keeper: None }
    }

    /// The device it belongs to.
    pub(crate) fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// Whether it is a wrapped stream that another library captures. To find out, this makes the
    /// context current: CUDA needs one, and the handle may be that of the default stream, which
    /// means another stream in each context.
    #[inline]
    pub(crate) fn is_captured_elsewhere(&self) -> Result<bool> {
        if self.core.is_owned() {
            return Ok(false);
        }
        self.gpu.context.bind()?;
        self.gpu.driver().is_capturing(self.core.raw()).map_err(|failure| self.gpu.context.error(failure))
    }

    /// Makes the context current on this thread.
    pub(crate) fn bind(&self) -> Result<()> {
        self.gpu.context.bind()
    }

    /// The driver's handle, for other libraries.
    pub(crate) fn as_raw(&self) -> *mut std::ffi::c_void {
        self.core.raw().0
    }

    /// Blocks until all work queued so far is complete, then reports a panic of device code.
    pub(crate) fn synchronize(&self) -> Result<()> {
        self.wait_for_work()?;
        self.gpu.take_panic(None)
    }

    /// Blocks until all work queued so far is complete.
    pub(crate) fn wait_for_work(&self) -> Result<()> {
        self.gpu.context.bind()?;
        self.gpu
            .driver()
            .synchronize_stream(self.core.raw(), Wait::Synchronize)
            .map_err(|failure| self.gpu.context.error(failure))
    }

    /// Whether all work queued so far is complete; does not block.
    pub(crate) fn is_idle(&self) -> Result<bool> {
        self.gpu.context.bind()?;
        self.gpu.driver().stream_is_idle(self.core.raw()).map_err(|failure| self.gpu.context.error(failure))
    }

    /// Records an event after all work queued so far.
    pub(crate) fn record(&self) -> Result<GpuEvent> {
        self.gpu.context.bind()?;
        let event = self.gpu.timed_events.record(self.core.handle)?;
        Ok(GpuEvent { event, gpu: Arc::clone(&self.gpu) })
    }

    /// Makes all work queued from now on start after the work that the event recorded, also if that
    /// is on another device.
    pub(crate) fn wait(&self, event: &GpuEvent) -> Result<()> {
        if self.gpu.platform() != event.gpu.platform() {
            return event.wait_for_work(); // drivers do not know each other's events
        }
        self.gpu.context.bind()?;
        match Arc::ptr_eq(&event.gpu, &self.gpu) {
            true => event.event.wait_on(self.core.raw(), Wait::Event),
            false => event.event.wait_in(&self.gpu.context, self.core.raw(), Wait::Event),
        }
    }
}

impl Drop for GpuStream {
    fn drop(&mut self) {
        self.core.abandon();
        if let Some(keeper) = self.keeper.take() {
            self.gpu.context.shelter(|| drop(keeper));
        }
    }
}

/// A stream for the groups of `stream_parallel!`, and the event that a group records at its end.
///
/// Groups may share the stream. Then the event may have recorded the end of a later group, and a
/// wait for it is one for the earlier group, too: a stream keeps its order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lane {
    pub(super) stream: RawStream,
    pub(super) done: RawEvent,
}

/// Makes lanes. No memory block remembers them, because their work is joined into the user's
/// stream.
pub(super) struct Lanes<'a> {
    pub(super) context: &'a Context,
    pub(super) priority: i32,
    /// Whether they are those of a capture. What is captured does not run, and a query would break
    /// the capture.
    pub(super) captured: bool,
}

impl StreamSource for Lanes<'_> {
    type Stream = Lane;
    type Error = Error;

    fn create(&self) -> Result<Lane> {
        self.context.bind()?;
        let create = || {
            let stream = self.context.create_stream(self.priority)?;
            let done =
                self.context.driver().create_event(false).inspect_err(|_| self.context.give_back_stream(stream))?;
            Ok(Lane { stream, done })
        };
        create().map_err(|failure| self.context.error(failure))
    }

    fn is_idle(&self, lane: &Lane) -> Result<bool> {
        if self.captured {
            return Ok(false);
        }
        self.context
            .call(|| self.context.driver().stream_is_idle(lane.stream))
            .map_err(|failure| self.context.error(failure))
    }

    fn destroy(&self, lane: Lane) {
        self.context.give_back_stream(lane.stream);
        let _ = self.context.driver().destroy_event(lane.done);
    }
}

/// Streams for allocation and for copies that the host waits for. There are several, so that
/// threads do not wait for each other's copies.
pub(super) struct Service<'a>(pub(super) &'a Gpu);

impl StreamSource for Service<'_> {
    type Stream = Arc<StreamCore>;
    type Error = Error;

    fn create(&self) -> Result<Arc<StreamCore>> {
        self.0.context.bind()?;
        let raw = self.0.context.create_stream(0).map_err(|failure| self.0.context.error(failure))?;
        Ok(StreamCore::new(StreamHandle::ours(raw), self.0))
    }

    fn is_idle(&self, stream: &Arc<StreamCore>) -> Result<bool> {
        self.0.driver().stream_is_idle(stream.raw()).map_err(|failure| self.0.context.error(failure))
    }

    fn destroy(&self, _: Arc<StreamCore>) {} // the stream is destroyed with its last reference
}
