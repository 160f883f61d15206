//! The times of traced work: a pair of timed events around each piece, read in batches.
//!
//! Each time is the distance of an event from a base event, which was recorded on an idle stream
//! and whose time on the clock of the host is known. The driver gives distances as `f32`
//! milliseconds. These have steps of half a microsecond up to eight seconds. So every few seconds
//! the base moves to an event that was read, and its time is kept as `f64`.
//!
//! The events are in the streams. They can keep kernels that follow each other from overlapping.

use std::collections::VecDeque;
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::Gpu;
use super::driver::Unrestricted;
use super::event::{PooledEvent, StreamHandle};
use super::stream::GpuStream;
use super::wait::Wait;
use crate::error::Result;
use crate::lock::Lock;
use crate::trace::{Begun, Entered, Recorder, Role, Scope, Timed, Work, now};

/// Finished work is read whenever this many pieces were queued.
const BATCH: usize = 256;
/// The maximum number of pieces whose times have not been read. What follows is lost.
const MOST_PENDING: usize = 1 << 16;
/// The base moves to an event that is at least this many milliseconds later.
const FAR: f32 = 4000.0;
/// How often the base is recorded. The attempt that took the least time counts.
const ATTEMPTS: usize = 5;

/// The clock of a device, and the work whose times have not been read yet.
#[derive(Debug, Default)]
pub(super) struct Timer {
    /// Held by the thread that reads times, so no launch waits for it.
    clock: Lock<Option<Clock>>,
    /// Whether there is a clock.
    started: AtomicBool,
    pending: Lock<VecDeque<Pending>>,
}

#[derive(Debug)]
struct Clock {
    base: PooledEvent,
    /// Its nanoseconds on the clock of the recording.
    at: f64,
}

#[derive(Debug)]
struct Pending {
    begun: Begun,
    start: PooledEvent,
    end: PooledEvent,
}

/// A piece of work that is being queued. When it is dropped, it ends after what was queued on its
/// stream.
#[derive(Debug)]
pub(crate) struct GpuSpan<'a> {
    gpu: &'a Gpu,
    stream: StreamHandle,
    begun: Begun,
    start: Option<PooledEvent>,
    _inside: Option<Entered>,
}

impl GpuSpan<'_> {
    /// Its record.
    pub(super) fn begun(&self) -> Begun {
        self.begun
    }
}

impl Drop for GpuSpan<'_> {
    fn drop(&mut self) {
        let Some(start) = self.start.take() else { return };
        let timer = &self.gpu.timer;
        let end = self.gpu.context.rebind().and_then(|()| self.gpu.timed_events.record(self.stream));
        let Ok(end) = end else { return }; // without a time, the trace counts it as lost
        if !self.gpu.trace().is_current(self.begun) {
            return;
        }
        let count = {
            let mut pending = timer.pending();
            if pending.len() < MOST_PENDING {
                pending.push_back(Pending { begun: self.begun, start, end });
            }
            pending.len()
        };
        if count.is_multiple_of(BATCH) {
            self.gpu.read_finished();
        }
    }
}

impl GpuStream {
    /// Begins a piece of work on this stream, if the device is traced. The context must be current.
    #[inline]
    pub(crate) fn span(&self, work: Work) -> Option<GpuSpan<'_>> {
        if self.is_traced() { self.gpu.begin_span(self.core.handle(), Role::User, work) } else { None }
    }

    /// Whether work on the stream is traced. If another library captures it, its events would have
    /// no times.
    #[inline]
    pub(super) fn is_traced(&self) -> bool {
        self.gpu.trace().is_on()
            && (self.core.is_owned() || !self.gpu.driver().is_capturing(self.core.raw()).unwrap_or(true))
    }
}

impl Timer {
    fn pending(&self) -> MutexGuard<'_, VecDeque<Pending>> {
        self.pending.lock()
    }
}

impl Gpu {
    /// What is recorded while the device is traced.
    #[inline]
    pub(crate) fn trace(&self) -> &Recorder {
        &self.context.trace
    }

    /// Begins a copy or a fill on a stream for copies that the host waits for.
    #[inline]
    pub(super) fn service_span(&self, stream: StreamHandle, work: Work) -> Option<GpuSpan<'_>> {
        if self.trace().is_on() { self.begin_span(stream, Role::Copies, work) } else { None }
    }

    /// Begins a piece of work: records its first event. The context must be current.
    #[cold]
    pub(super) fn begin_span(&self, stream: StreamHandle, role: Role, work: Work) -> Option<GpuSpan<'_>> {
        // If the clock cannot be read, neither can the times.
        self.start_clock().ok()?;
        let begun = self.trace().open_on(work, stream.raw.0.addr(), role)?;
        let start = self.timed_events.record(stream).ok();
        let inside = matches!(work, Work::Library(_)).then(|| self.trace().enter(Scope::Inside)).flatten();
        Some(GpuSpan { gpu: self, stream, begun, start, _inside: inside })
    }

    /// [`start_clock`](Self::start_clock) for a thread that has not bound the context.
    pub(crate) fn synchronize_clock(&self) -> Result<()> {
        self.context.bind()?;
        self.start_clock()
    }

    /// Records the base, if there is none yet. Waits for an idle stream only. The context must be
    /// current.
    fn start_clock(&self) -> Result<()> {
        if self.timer.started.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut clock = self.timer.clock.lock();
        if clock.is_some() {
            return Ok(());
        }
        let stream = self.service()?;
        let mut best: Option<(i64, Clock)> = None;
        for _ in 0..ATTEMPTS {
            let before = now();
            let base = self.timed_events.record(stream.core().handle())?;
            base.synchronize(Wait::Time)?;
            let took = now() - before;
            if best.as_ref().is_none_or(|(least, _)| took < *least) {
                best = Some((took, Clock { base, at: before as f64 + took as f64 / 2.0 }));
            }
        }
        *clock = best.map(|(_, clock)| clock);
        self.timer.started.store(true, Ordering::Release);
        Ok(())
    }

    /// Reads the times of finished work, oldest first, up to the first piece in progress. Returns
    /// at once if another thread is reading.
    fn read_finished(&self) {
        let Some(mut clock) = self.timer.clock.try_lock() else { return };
        let Ok(_unrestricted) = Unrestricted::begin(self.driver()) else { return };
        while let Some(first) = self.next_pending() {
            if matches!(first.end.is_complete(), Ok(false)) {
                return self.timer.pending().push_front(first);
            }
            self.read(&mut clock, first);
        }
    }

    fn next_pending(&self) -> Option<Pending> {
        self.timer.pending().pop_front()
    }

    /// Reads the times of all work that was queued. Blocks until it is complete, or until a point
    /// in time.
    pub(crate) fn read_all(&self, until: Option<Instant>) {
        if self.context.bind().is_err() {
            return self.timer.pending().clear();
        }
        let mut clock = match until {
            None => self.timer.clock.lock(),
            Some(until) => match self.timer.clock.lock_until(until) {
                Some(clock) => clock,
                None => return,
            },
        };
        let Ok(_unrestricted) = Unrestricted::begin(self.driver()) else { return };
        while let Some(first) = self.next_pending() {
            match until {
                None => drop(first.end.synchronize(Wait::Time)), // an event that cannot be waited for has no time either
                Some(until) => {
                    while matches!(first.end.is_complete(), Ok(false)) {
                        if Instant::now() >= until {
                            return self.timer.pending().push_front(first);
                        }
                        std::thread::sleep(Duration::from_millis(1));
                    }
                }
            }
            self.read(&mut clock, first);
        }
    }

    /// Forgets the base and what was not read.
    pub(crate) fn stop_clock(&self) {
        self.timer.started.store(false, Ordering::Release);
        self.timer.pending().clear();
        *self.timer.clock.lock() = None;
    }

    /// Reads the times of a finished piece of work. The context must be current.
    fn read(&self, clock: &mut Option<Clock>, pending: Pending) {
        let Some(known) = clock else { return };
        let Pending { begun, start, end } = pending;
        let Ok(since) = start.since(&known.base) else { return self.trace().close(begun, None) };
        let Ok(length) = end.since(&start) else { return self.trace().close(begun, None) };
        let first = known.at + f64::from(since) * 1e6;
        let last = first + f64::from(length.max(0.0)) * 1e6;
        self.trace().close(begun, Some((first.round() as i64, last.round() as i64)));
        if since >= FAR {
            *known = Clock { base: start, at: first };
        }
    }
}

impl Timed for Gpu {
    fn read_times(&self, until: Instant) {
        self.read_all(Some(until));
    }
}
