//! Streams and events, created as the library does: non-blocking, and without timing if only the
//! order matters.

use std::ptr;
use std::rc::Rc;

use cudarc::driver::sys;

use super::{Context, Failure, Result, call};

/// A stream.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(super) raw: sys::CUstream,
    _context: Rc<Context>,
}

impl Stream {
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self> {
        let mut raw = ptr::null_mut();
        call!(cuStreamCreateWithPriority(&mut raw, sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32, 0))?;
        Ok(Self { raw, _context: Rc::clone(context) })
    }

    pub(crate) fn wait(&self, event: &Event) -> Result<()> {
        call!(cuStreamWaitEvent(self.raw, event.raw, 0))
    }

    pub(crate) fn synchronize(&self) -> Result<()> {
        call!(cuStreamSynchronize(self.raw))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let _ = call!(cuStreamDestroy_v2(self.raw));
    }
}

/// An event.
#[derive(Debug)]
pub(crate) struct Event {
    raw: sys::CUevent,
    _context: Rc<Context>,
}

impl Event {
    /// Creates an event for ordering only.
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self> {
        Self::with(context, sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)
    }

    /// Creates an event that records the time.
    pub(crate) fn timed(context: &Rc<Context>) -> Result<Self> {
        Self::with(context, sys::CUevent_flags::CU_EVENT_DEFAULT)
    }

    fn with(context: &Rc<Context>, flags: sys::CUevent_flags) -> Result<Self> {
        let mut raw = ptr::null_mut();
        call!(cuEventCreate(&mut raw, flags as u32))?;
        Ok(Self { raw, _context: Rc::clone(context) })
    }

    pub(crate) fn record(&self, stream: &Stream) -> Result<()> {
        call!(cuEventRecord(self.raw, stream.raw))
    }

    /// Seconds from another recorded event to this one. Waits for it.
    pub(crate) fn seconds_since(&self, start: &Self) -> Result<f64> {
        call!(cuEventSynchronize(self.raw))?;
        // SAFETY: both events have been recorded, and are destroyed after this.
        let milliseconds = unsafe { cudarc::driver::result::event::elapsed(start.raw, self.raw) };
        Ok(f64::from(milliseconds.map_err(|error| Failure { call: "cuEventElapsedTime", code: error.0 as u32 })?) / 1e3)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let _ = call!(cuEventDestroy_v2(self.raw));
    }
}
