//! The steps that all work of a stream has in common: prepare, order, and, in a capture, record.

#![allow(unsafe_code, reason = "it passes on the contract of a copy")]

use crate::backend::{Capture, Command, Memory, Op, Use, check_outside};
use crate::capture::{OwnedUse, Recorder, Recording, Work};
use crate::error::{Error, Result};
use crate::order::graph_lock::GraphGuard;
use crate::order::hazard::{AccessMode, Extent};
use crate::stream::Stream;
use crate::value::DeviceCopy;

/// Work that is about to be queued on a stream.
///
/// If it is dropped without [`record`](Self::record), a capture of the stream fails, because a part
/// of the work may be missing.
#[must_use]
pub(crate) struct Enqueue<'a> {
    stream: &'a Stream,
    recording: Option<Recording<'a>>,
    /// Excludes launches of graphs.
    guard: Option<GraphGuard<'a>>,
}

impl<'a> Enqueue<'a> {
    /// Prepares work that uses these parts: checks that the stream accepts it, and that the parts
    /// are on the stream's device.
    #[inline]
    pub(crate) fn prepare(
        stream: &'a Stream,
        uses: &[Use<'_>],
        wrong_device: impl FnOnce(&Use<'_>) -> Error,
    ) -> Result<Self> {
        // This comes first, so that the capture fails if anything below fails.
        let recording = stream.recording()?;
        match uses.iter().find(|used| !used.memory.is_of(&stream.backend)) {
            Some(used) => Err(wrong_device(used)),
            None => Ok(Self { stream, recording, guard: None }),
        }
    }

    /// Orders the work after conflicting graphs and, with `wait`, after other conflicting work. In
    /// a capture, records the uses instead; the graph orders its launches by them.
    #[inline]
    pub(crate) fn order(&mut self, uses: &[Use<'a>], wait: impl FnOnce() -> Result<()>) -> Result<()> {
        match &self.recording {
            Some(recording) => {
                parts(uses).try_for_each(|(memory, extent, access)| recording.uses(memory, extent, access))
            }
            None => {
                self.guard = Use::share_all(uses)?;
                self.stream.backend.reports().launches(uses.iter().map(|used| (used.memory.written(), used.access)));
                wait()
            }
        }
    }

    /// The place where a capture of the stream records.
    #[inline]
    pub(crate) fn recorder(&self) -> Option<Recorder<'a>> {
        self.recording.as_ref().map(Recording::recorder)
    }

    /// The backend's part of a capture of the stream.
    #[inline]
    pub(crate) fn capture(&self) -> Option<&'a Capture> {
        self.recording.as_ref().map(Recording::backend)
    }

    /// Completes the recording in a capture. On the CPU the capture keeps `ops`.
    #[inline]
    pub(crate) fn record(self, ops: impl FnOnce() -> Vec<Op>) {
        if let Some(recording) = self.recording {
            recording.finish(ops());
        }
    }
}

/// The parts in the form in which the backend orders them.
#[inline]
pub(crate) fn parts<'u>(uses: &'u [Use<'_>]) -> impl Iterator<Item = (&'u Memory, Extent, AccessMode)> {
    uses.iter().map(|used| (used.memory, Extent { bytes: used.bytes.clone(), gaps: used.gaps }, used.access))
}

/// Prepares, orders, queues and records a copy or a fill.
///
/// # Safety
/// The parts are borrowed, the written ones uniquely.
pub(crate) unsafe fn command<T: DeviceCopy>(
    stream: &Stream,
    uses: &[Use<'_>],
    work: Work,
    command: &Command<'_, T>,
) -> Result<()> {
    let mut enqueue = Enqueue::prepare(stream, uses, |used| other_device("a buffer", used, stream))?;
    let backend = &stream.backend;
    backend.bind()?;
    enqueue.order(uses, || backend.order(parts(uses)))?;
    // SAFETY: the caller promises the borrows. While a graph is launched, the graph lock of its
    // device excludes other uses.
    let op = unsafe { backend.queue(command, enqueue.capture())? };
    if let Some(recorder) = enqueue.recorder() {
        recorder.add(work);
    }
    enqueue.record(|| op.into_iter().collect());
    Ok(())
}

/// Prepares and orders the launch of a graph that uses these parts. `graph` is its address. Until
/// the guard is dropped, nothing that conflicts with it runs.
pub(crate) fn graph<'a>(stream: &'a Stream, graph: usize, uses: &[OwnedUse]) -> Result<GraphGuard<'a>> {
    stream.check_own("the launch of a graph")?;
    if stream.captured_by().is_some() {
        return Err(Error::NotCapturable {
            what: "the launch of a graph",
            instead: "capture the launches that it consists of, or launch it after the graph",
        });
    }
    check_outside(stream.device().backend())?;
    stream.check_captured_elsewhere()?;
    let backend = &stream.backend;
    let parts = || uses.iter().map(|used| (&used.memory, used.extent.clone(), used.access));
    let guard = backend.exclude(graph, parts())?;
    uses.iter().try_for_each(|used| used.memory.graph_users().check())?;
    backend.reports().launches(uses.iter().map(|used| (used.memory.written(), used.access)));
    backend.enter()?;
    // Others may be about to queue work in the gaps of a use: a launch that has begun before the
    // capture does not hold the lock.
    backend.order(parts())?;
    Ok(guard)
}

/// Prepares a copy from or to pinned memory, which a graph cannot contain. Until the guard is
/// dropped, no graph uses the block.
pub(crate) fn pinned<'a>(
    stream: &Stream,
    used: &Use<'a>,
    pinned: &crate::backend::Pinned,
    access: AccessMode,
) -> Result<Option<GraphGuard<'a>>> {
    stream.check_own("a copy from or to pinned memory")?;
    stream.check_uncaptured(
        "a copy from or to pinned memory",
        "queue it on the stream that the graph is launched on, before or after the launch",
    )?;
    check_outside(stream.device().backend())?;
    if !used.memory.is_of(&stream.backend) {
        return Err(other_device("a buffer", used, stream));
    }
    if !pinned.is_of(&stream.backend) {
        let expected = format!("a stream of {}", stream.device());
        return Err(Error::OtherDevice {
            what: "pinned memory",
            found: pinned.device_name(),
            expected,
            operation: None,
        });
    }
    let guard = used.share()?;
    stream.backend.reports().launches([(used.memory.written(), used.access), (pinned.written(), access)].into_iter());
    Ok(guard)
}

/// Prepares, orders and queues a copy from another device, which a graph cannot contain.
///
/// # Safety
/// The parts are borrowed, the destination uniquely.
pub(crate) unsafe fn across(stream: &Stream, to: &Use<'_>, from: &Use<'_>) -> Result<()> {
    const WHAT: &str = "a copy between devices";
    stream.check_own(WHAT)?;
    stream
        .check_uncaptured(WHAT, "queue it on the stream that the graph is launched on, before or after the launch")?;
    check_outside(stream.device().backend())?;
    if !to.memory.is_of(&stream.backend) && !from.memory.is_of(&stream.backend) {
        return Err(other_device("a buffer", to, stream));
    }
    let guards = Memory::share_across(to, from)?;
    // SAFETY: the caller's promise; the guards exclude graphs.
    unsafe { stream.backend.copy_across(to, from)? };
    drop(guards);
    Memory::report_across(to.memory, from.memory)
}

#[cold]
fn other_device(what: &'static str, used: &Use<'_>, stream: &Stream) -> Error {
    let found = used.memory.device_beside(&stream.backend);
    Error::OtherDevice { what, found, expected: format!("a stream of {}", stream.device()), operation: None }
}
