//! The primary context of one device. It is retained as long as any object of it exists, it is
//! current where it is used, and it is lost after a sticky error.

use std::cell::Cell;
use std::sync::{Arc, OnceLock};

use super::driver::{Driver, Failure, RawContext, RawDevice, RawStream};
use super::wait::Wait;
use crate::error::{Error, Result};
use crate::lock::Lock;
use crate::trace::Recorder;

thread_local! {
    /// The context that this crate last made current on this thread.
    static LAST_BOUND: Cell<Option<RawContext>> = const { Cell::new(None) };
}

/// To be called after foreign code, which may have made another context current.
pub(super) fn forget() {
    LAST_BOUND.set(None);
}

/// Each value that holds a driver object also holds one of these, so the context is released last.
///
/// **The current context.** Before a call that creates something, which would otherwise belong to
/// another device, this crate asks the driver which context is current (`cuCtxGetCurrent`), and
/// sets it only if it differs. A flag of its own would be wrong as soon as another library in the
/// process switches to another device on the same thread. The calls of a launch, a fork and the
/// launch of a graph name objects of this context and create nothing: they rely on the flag, and if
/// one [fails](Self::call) because the flag was wrong, it is made again. In a capture nothing may
/// fail, so there each launch asks. The context stays current on return, as with the CUDA runtime.
#[derive(Debug)]
pub(super) struct Context {
    driver: &'static dyn Driver,
    ordinal: usize,
    device: RawDevice,
    raw: RawContext,
    lost: OnceLock<Failure>,
    /// The streams of this crate, where events need their streams.
    kept: Lock<Vec<KeptStream>>,
    /// What is recorded while the device is traced.
    pub(super) trace: Arc<Recorder>,
}

/// A stream that exists until the context goes, because its events may be used as long.
#[derive(Debug)]
struct KeptStream {
    raw: RawStream,
    priority: i32,
    /// Whether it has no owner. Its work may be in progress.
    is_free: bool,
    /// If its work in progress only waits for work of a stream of another library: that stream.
    behind: Option<RawStream>,
}

impl Context {
    /// Retains the primary context of `device`.
    pub(super) fn retain(driver: &'static dyn Driver, ordinal: usize, device: RawDevice) -> Result<Arc<Self>> {
        let raw = driver.retain_context(device).map_err(|failure| failed(driver, ordinal, failure))?;
        Ok(Arc::new(Self {
            driver,
            ordinal,
            device,
            raw,
            lost: OnceLock::new(),
            kept: Lock::default(),
            trace: crate::trace::recorder_of_gpu(),
        }))
    }

    /// Its driver.
    #[inline]
    pub(super) fn driver(&self) -> &'static dyn Driver {
        self.driver
    }

    /// Number of the device.
    pub(super) fn ordinal(&self) -> usize {
        self.ordinal
    }

    /// Whether this is its handle.
    #[cfg(feature = "cudarc")]
    pub(super) fn is(&self, raw: RawContext) -> bool {
        self.raw == raw
    }

    /// Makes the context current on this thread. Fails at once if the device is lost.
    pub(super) fn bind(&self) -> Result<()> {
        self.check()?;
        let bound = match self.driver.bound_context() {
            Ok(current) if current == self.raw => Ok(()),
            Ok(_) => self.driver.bind_context(self.raw),
            Err(failure) => Err(failure),
        };
        LAST_BOUND.set(bound.is_ok().then_some(self.raw));
        bound.map_err(|failure| self.error(failure))
    }

    /// Whether the device is lost: no work runs there any more.
    pub(super) fn is_lost(&self) -> bool {
        self.lost.get().is_some()
    }

    /// Fails if the device is lost.
    #[inline]
    pub(super) fn check(&self) -> Result<()> {
        self.lost.get().map_or(Ok(()), |&cause| Err(self.lost_error(cause)))
    }

    /// [`bind`](Self::bind) within a launch that has already bound the context. Since then, only
    /// the launch's own host code may have launched on another device, so this needs no driver
    /// call.
    #[inline]
    pub(super) fn rebind(&self) -> Result<()> {
        if self.is_entered() { Ok(()) } else { self.bind() }
    }

    /// Whether this crate has made the context current on this thread, as far as it knows.
    #[inline]
    pub(super) fn is_entered(&self) -> bool {
        LAST_BOUND.get() == Some(self.raw)
    }

    /// For destructors: resources of a lost device must be freed, too, and a failure cannot be
    /// reported.
    pub(super) fn bind_to_destroy(&self) {
        if self.driver.bound_context() != Ok(self.raw) {
            LAST_BOUND.set(self.driver.bind_context(self.raw).is_ok().then_some(self.raw));
        }
    }

    /// For a launch: fails if the device is lost, and makes the context current unless this thread
    /// has done so. Another library may have changed that since: see [`call`](Self::call).
    #[inline]
    pub(super) fn enter(&self) -> Result<()> {
        self.check()?;
        self.rebind()
    }

    /// Makes a call on objects of this context that creates nothing. It has no effect while another
    /// context is current. Then it is made again.
    #[inline(always)]
    pub(super) fn call<T>(
        &self,
        mut call: impl FnMut() -> std::result::Result<T, Failure>,
    ) -> std::result::Result<T, Failure> {
        match call() {
            Err(failure) if failure.elsewhere => self.call_again(failure, &mut call),
            result => result,
        }
    }

    #[cold]
    fn call_again<T>(
        &self,
        failure: Failure,
        call: &mut dyn FnMut() -> std::result::Result<T, Failure>,
    ) -> std::result::Result<T, Failure> {
        let was_elsewhere = self.driver.bound_context() != Ok(self.raw) && self.bind().is_ok();
        if was_elsewhere { call() } else { Err(failure) }
    }

    /// Makes the context current for a part of the work of another device, whose context `back` is
    /// current again when the result is dropped.
    pub(super) fn visit<'a>(&self, back: &'a Context) -> Result<Visit<'a>> {
        if self.raw == back.raw {
            return Ok(Visit(None));
        }
        self.bind()?;
        Ok(Visit(Some(back)))
    }

    /// The driver's handle, for calls that take two contexts.
    pub(super) fn raw(&self) -> RawContext {
        self.raw
    }

    /// The device that it is of.
    pub(super) fn device(&self) -> RawDevice {
        self.device
    }

    /// Runs a destructor of foreign code, which may make another context current. Afterwards the
    /// one from before is current again.
    pub(super) fn shelter(&self, destroy: impl FnOnce()) {
        let before = self.driver.bound_context();
        destroy();
        forget();
        if let Ok(before) = before
            && self.driver.bound_context() != Ok(before)
        {
            let _ = self.driver.bind_context(before); // the next entry into this crate checks again
        }
    }

    /// [`Driver::settle`] where another failure is the one to report.
    pub(super) fn settle(&self, stream: RawStream, why: Wait) {
        self.bind_to_destroy();
        if let Err(failure) = self.driver.settle(stream, why) {
            let _ = self.error(failure);
        }
    }

    /// A stream of this crate, without work in progress. The context must be current.
    pub(super) fn create_stream(&self, priority: i32) -> std::result::Result<RawStream, Failure> {
        match self.driver.events_need_their_streams() {
            true => self.take_kept(priority, None),
            false => self.driver.create_stream(priority),
        }
    }

    /// A stream of this crate that is to wait for a stream of another library, and whose work in
    /// progress, if any, does so. So the marks on a busy stream need only one. The context must be
    /// current.
    pub(super) fn stream_behind(&self, other: RawStream) -> std::result::Result<RawStream, Failure> {
        self.take_kept(0, Some(other))
    }

    fn take_kept(&self, priority: i32, behind: Option<RawStream>) -> std::result::Result<RawStream, Failure> {
        let mut next = 0;
        while let Some((number, raw, was_behind)) = self.take_free(next, priority, behind) {
            // No lock is held here, and no other thread takes the stream.
            let is_ready =
                if behind.is_some() && was_behind == behind { Ok(true) } else { self.driver.stream_is_idle(raw) };
            match is_ready {
                Ok(true) => return Ok(raw),
                Ok(false) => self.leave(number, was_behind),
                Err(failure) if failure.is_fatal() => {
                    self.leave(number, was_behind);
                    return Err(failure);
                }
                Err(_) => {} // for example a stream whose capture has failed: it can do nothing any more
            }
            next = number + 1;
        }
        let raw = self.driver.create_stream(priority)?;
        self.kept.lock().push(KeptStream { raw, priority, is_free: false, behind });
        Ok(raw)
    }

    /// Takes the first free stream from a number on: its number, and what it was behind.
    fn take_free(
        &self,
        from: usize,
        priority: i32,
        behind: Option<RawStream>,
    ) -> Option<(usize, RawStream, Option<RawStream>)> {
        let mut kept = self.kept.lock();
        let mut free = kept.iter_mut().enumerate().skip(from).filter(|(_, stream)| stream.is_free);
        let (number, stream) = free.find(|(_, stream)| stream.priority == priority)?;
        stream.is_free = false;
        Some((number, stream.raw, std::mem::replace(&mut stream.behind, behind)))
    }

    /// Leaves a stream that was taken as it was before.
    fn leave(&self, number: usize, behind: Option<RawStream>) {
        let stream = &mut self.kept.lock()[number];
        (stream.is_free, stream.behind) = (true, behind);
    }

    /// Destroys a stream of this crate, or keeps it for another owner. Work in flight continues.
    /// The context must be current.
    pub(super) fn give_back_stream(&self, stream: RawStream) {
        if !self.driver.events_need_their_streams() {
            let _ = self.driver.destroy_stream(stream); // a failure cannot be reported
        } else if let Some(kept) = self.kept.lock().iter_mut().find(|kept| kept.raw == stream) {
            kept.is_free = true;
        }
    }

    /// The error for a failed call in this context; remembers a sticky one.
    #[cold]
    pub(super) fn error(&self, failure: Failure) -> Error {
        if failure.is_fatal() {
            let _ = self.lost.set(failure); // the first cause is the one to report
        }
        failed(self.driver, self.ordinal, failure)
    }

    #[cold]
    fn lost_error(&self, cause: Failure) -> Error {
        let (name, text) = self.driver.describe(cause);
        let platform = self.driver.platform();
        Error::DeviceLost { platform, device: self.ordinal, call: cause.call, name, code: cause.code, text }
    }
}

/// As long as this exists, the context of another device is current on the thread.
#[must_use]
pub(super) struct Visit<'a>(Option<&'a Context>);

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        if let Some(back) = self.0 {
            back.bind_to_destroy();
            // The work there goes on without asking which context is current, so one failure must
            // not leave the wrong one.
            back.bind_to_destroy();
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let kept = std::mem::take(self.kept.get_mut());
        if !kept.is_empty() {
            self.bind_to_destroy();
        }
        for stream in kept {
            let _ = self.driver.destroy_stream(stream.raw);
        }
        let _ = self.driver.release_context(self.device); // a failure cannot be reported any more
        crate::trace::closed();
    }
}

/// The error for a failed call.
pub(super) fn failed(driver: &'static dyn Driver, ordinal: usize, failure: Failure) -> Error {
    let (name, text) = driver.describe(failure);
    let (platform, call, code) = (driver.platform(), failure.call, failure.code);
    Error::Driver { platform, device: ordinal, call, name, code, text, kernel: None, operation: None }
}
