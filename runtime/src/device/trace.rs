//! `Device::trace`.

use super::Device;
use crate::backend::{Backend, check_outside};
use crate::error::{Error, Result};
use crate::trace::{Log, Trace, build};

impl Device {
    /// Traces what is launched on this device while a closure runs, also by other threads. Blocks
    /// until this work is complete.
    ///
    /// A panic of device code is not reported here but, as ever, by the next call that waits. If
    /// the closure panics, the trace ends.
    ///
    /// # Errors
    /// [`Error::TraceUnderWay`] if the device is already traced by this call;
    /// [`Error::NotCapturable`] in the closure of a capture, which runs nothing; the driver cannot
    /// time events, or the device is lost. In these cases the closure does not run.
    pub fn trace<R>(&self, work: impl FnOnce() -> R) -> Result<(R, Trace)> {
        check_outside(self.backend())
            .map_err(|_| Error::NotCapturable { what: "a trace", instead: "trace the launch of the graph" })?;
        let window = Window::begin(self)?;
        let result = work();
        Ok((result, window.end()))
    }
}

/// The time of a traced closure.
struct Window<'a> {
    backend: &'a Backend,
    ended: bool,
}

impl<'a> Window<'a> {
    fn begin(device: &'a Device) -> Result<Self> {
        let backend = device.backend();
        if !backend.trace().begin() {
            return Err(Error::TraceUnderWay { device: device.to_string() });
        }
        let window = Self { backend, ended: false };
        backend.start_clock()?;
        Ok(window)
    }

    fn end(mut self) -> Trace {
        self.ended = true;
        self.backend.trace().stop();
        self.backend.read_times();
        let (log, begin) = self.take();
        build::trace(&[log], begin)
    }

    /// Ends the recording. The clock stops first, while nobody else can begin to trace and would
    /// lose its times.
    fn take(&self) -> (Log, i64) {
        let trace = self.backend.trace();
        if !trace.is_on() {
            self.backend.stop_clock();
        }
        trace.take()
    }
}

impl Drop for Window<'_> {
    /// After a panic of the closure. The recording is lost.
    fn drop(&mut self) {
        if !self.ended {
            self.backend.trace().stop();
            drop(self.take());
        }
    }
}
