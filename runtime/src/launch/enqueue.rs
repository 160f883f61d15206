//! What all work of a stream has in common: it is prepared, ordered, and recorded where its stream is captured.

use std::ops::Range;

use crate::backend::{Capture, Command, Memory, Op, Use};
use crate::capture::{OwnedUse, Recorder, Recording, Work, check_outside};
use crate::error::{Error, Result};
use crate::order::graph_lock::GraphGuard;
use crate::order::hazard::Access;
use crate::stream::Stream;
use crate::value::scalar::Scalar;

/// Work on its way into a stream.
///
/// Without [`record`](Self::record) a capture of the stream fails, because a part of the work may be missing.
#[must_use]
pub(crate) struct Enqueue<'a> {
    stream: &'a Stream,
    recording: Option<Recording<'a>>,
    /// Keeps graphs away.
    guard: Option<GraphGuard<'a>>,
}

impl<'a> Enqueue<'a> {
    /// Prepares work that uses these parts: the stream can take it, and they are on its device.
    #[inline]
    pub(crate) fn prepare(
        stream: &'a Stream,
        uses: &[Use<'_>],
        wrong_device: impl FnOnce(&Use<'_>) -> Error,
    ) -> Result<Self> {
        // First, so that a capture fails with whatever fails here.
        let recording = stream.recording()?;
        match uses.iter().find(|used| !used.memory.is_of(&stream.backend)) {
            Some(used) => Err(wrong_device(used)),
            None => Ok(Self { stream, recording, guard: None }),
        }
    }

    /// Orders it after what conflicts with it: graphs, and by `wait` other work. A capture learns what it uses instead, and orders its
    /// graph.
    #[inline]
    pub(crate) fn order(&mut self, uses: &[Use<'a>], wait: impl FnOnce() -> Result<()>) -> Result<()> {
        match &self.recording {
            Some(recording) => {
                uses.iter().try_for_each(|used| recording.uses(used.memory, used.bytes.clone(), used.access))
            }
            None => {
                self.guard = Memory::share_all(uses.iter().map(|used| used.memory))?;
                self.stream.backend.reports().launches(uses.iter().map(|used| (used.memory.written(), used.access)));
                wait()
            }
        }
    }

    /// Where a capture of the stream records.
    #[inline]
    pub(crate) fn recorder(&self) -> Option<Recorder<'a>> {
        self.recording.as_ref().map(Recording::recorder)
    }

    /// The backend's part of a capture of the stream.
    #[inline]
    pub(crate) fn capture(&self) -> Option<&'a Capture> {
        self.recording.as_ref().map(Recording::backend)
    }

    /// The work is whole; on the CPU a capture keeps `ops`.
    #[inline]
    pub(crate) fn record(self, ops: impl FnOnce() -> Vec<Op>) {
        if let Some(recording) = self.recording {
            recording.finish(ops());
        }
    }
}

/// Parts of memory as the backend orders them.
#[inline]
pub(crate) fn parts<'u>(uses: &'u [Use<'_>]) -> impl Iterator<Item = (&'u Memory, Range<usize>, Access)> {
    uses.iter().map(|used| (used.memory, used.bytes.clone(), used.access))
}

/// A copy or a fill: the whole way.
///
/// # Safety
/// The parts are borrowed, the written ones uniquely.
pub(crate) unsafe fn command<T: Scalar>(
    stream: &Stream,
    uses: &[Use<'_>],
    work: Work,
    command: &Command<'_, T>,
) -> Result<()> {
    let mut enqueue = Enqueue::prepare(stream, uses, |used| other_device("a buffer", used, stream))?;
    let backend = &stream.backend;
    backend.bind()?;
    enqueue.order(uses, || backend.order(parts(uses)))?;
    // SAFETY: the caller promises the borrows. A graph keeps others away while it is launched, by the lock of its device.
    let op = unsafe { backend.queue(command, enqueue.capture())? };
    if let Some(recorder) = enqueue.recorder() {
        recorder.add(work);
    }
    enqueue.record(|| op.into_iter().collect());
    Ok(())
}

/// Prepares and orders the launch of a graph that uses these parts: until the guard goes, it has the device alone.
pub(crate) fn graph<'a>(stream: &'a Stream, uses: &[OwnedUse]) -> Result<GraphGuard<'a>> {
    if stream.captured_by().is_some() {
        return Err(Error::NotCapturable {
            what: "the launch of a graph",
            instead: "capture what it consists of, or launch it behind the graph",
        });
    }
    check_outside(stream.device().backend())?;
    let backend = &stream.backend;
    let (lock, waiting) = backend.graph_lock();
    let guard = lock.exclude(waiting)?;
    uses.iter().try_for_each(|used| used.memory.graph_users().check())?;
    backend.reports().launches(uses.iter().map(|used| (used.memory.written(), used.access)));
    backend.bind()?;
    backend.order(uses.iter().map(|used| (&used.memory, used.bytes.clone(), used.access)))?;
    Ok(guard)
}

/// Prepares a copy from or to pinned memory, which no graph can hold: until the guard goes, no graph uses the block.
pub(crate) fn pinned<'a>(
    stream: &Stream,
    used: &Use<'a>,
    pinned: &crate::backend::Pinned,
    access: Access,
) -> Result<Option<GraphGuard<'a>>> {
    stream.check_uncaptured(
        "a copy from or to pinned memory",
        "queue it on the stream that the graph is launched on, before the launch or behind it",
    )?;
    check_outside(stream.device().backend())?;
    if !used.memory.is_of(&stream.backend) {
        return Err(other_device("a buffer", used, stream));
    }
    if !pinned.is_of(&stream.backend) {
        let expected = format!("a stream of {}", stream.device());
        return Err(Error::OtherDevice { what: "pinned memory", found: pinned.device_name(), expected });
    }
    let guard = used.memory.share()?;
    stream.backend.reports().launches([(used.memory.written(), used.access), (pinned.written(), access)].into_iter());
    Ok(guard)
}

#[cold]
fn other_device(what: &'static str, used: &Use<'_>, stream: &Stream) -> Error {
    let found = used.memory.device_beside(&stream.backend);
    Error::OtherDevice { what, found, expected: format!("a stream of {}", stream.device()) }
}
