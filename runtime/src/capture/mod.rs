//! A capture in progress: launches on its stream are recorded instead of run.

mod picture;

pub use picture::GraphStats;
pub(crate) use picture::{Picture, Work};

use std::sync::MutexGuard;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::backend::{self, Memory, Op};
use crate::error::{Error, Result};
use crate::lock::Lock;
use crate::order::graph_lock::{GraphGuard, GraphLock, Used, Waiting};
use crate::order::hazard::{AccessMode, Extent};

/// A buffer that captured work uses. As long as this value exists, the graph co-owns the buffer.
#[derive(Debug)]
pub(crate) struct OwnedUse {
    pub(crate) memory: Memory,
    pub(crate) extent: Extent,
    pub(crate) access: AccessMode,
}

impl Drop for OwnedUse {
    fn drop(&mut self) {
        self.memory.graph_users().remove_owner();
    }
}

/// What a stream records between the begin and the end of
/// [`Stream::capture`](crate::Stream::capture).
pub(crate) struct GraphCapture {
    id: u64,
    /// Launches of several threads share it; the end of the capture holds it alone.
    graph_lock: GraphLock,
    state: Lock<State>,
    backend: backend::Capture,
}

struct State {
    ended: bool,
    failed: bool,
    /// Number of launches, fills and copies, including empty ones.
    launches: usize,
    uses: Vec<OwnedUse>,
    picture: Picture,
    ops: Vec<Op>,
}

/// What a capture has recorded.
pub(crate) struct Recorded {
    pub(crate) launches: usize,
    pub(crate) failed: bool,
    pub(crate) uses: Vec<OwnedUse>,
    pub(crate) picture: Picture,
    pub(crate) ops: Vec<Op>,
    pub(crate) backend: Result<backend::Captured>,
}

/// A place in a capture where work is recorded: its stream, or a group.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recorder<'a> {
    capture: &'a GraphCapture,
    lane: usize,
}

/// Work that is being recorded. If it is dropped without [`finish`](Self::finish), the capture
/// fails, because a part of the work may be missing.
#[must_use]
pub(crate) struct Recording<'a> {
    capture: &'a GraphCapture,
    finished: bool,
    _guard: GraphGuard<'a>,
}

impl GraphCapture {
    pub(crate) fn new(backend: backend::Capture) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let (uses, picture, ops) = (Vec::new(), Picture::new(), Vec::new());
        let state = State { ended: false, failed: false, launches: 0, uses, picture, ops };
        let graph_lock = GraphLock::default();
        Self { id: NEXT.fetch_add(1, Ordering::Relaxed), graph_lock, state: Lock::new(state), backend }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Whether the capture is in progress. A clone of its stream that outlives the capture is an
    /// ordinary stream.
    pub(crate) fn is_active(&self) -> bool {
        !self.state().ended
    }

    /// Begins to record one launch, fill or copy; `None` if the capture has ended.
    pub(crate) fn begin(&self) -> Result<Option<Recording<'_>>> {
        let turn = self.graph_lock.share(Used::All, Waiting::OfCapture)?;
        Ok(self.is_active().then(|| Recording { capture: self, finished: false, _guard: turn }))
    }

    /// Ends the capture, after the launches in progress of other threads.
    pub(crate) fn end(&self) -> Result<Recorded> {
        let _guard = self.graph_lock.exclude(Used::All, Waiting::OfCapture)?;
        // This comes before other threads can see the stream as an ordinary stream.
        let backend = self.backend.end();
        let mut state = self.state();
        state.ended = true;
        let uses = std::mem::take(&mut state.uses);
        uses.iter().for_each(|used| used.memory.graph_users().release(self.id));
        let picture = std::mem::replace(&mut state.picture, Picture::new());
        let (launches, failed) = (state.launches, state.failed);
        Ok(Recorded { launches, failed, uses, picture, ops: std::mem::take(&mut state.ops), backend })
    }
}

impl std::fmt::Debug for GraphCapture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GraphCapture({})", self.id)
    }
}

impl<'a> Recording<'a> {
    /// The place outside of all groups.
    pub(crate) fn recorder(&self) -> Recorder<'a> {
        Recorder { capture: self.capture, lane: 0 }
    }

    /// The backend's part of the capture.
    pub(crate) fn backend(&self) -> &'a backend::Capture {
        &self.capture.backend
    }

    /// Records a use of memory by the work.
    pub(crate) fn uses(&self, memory: &Memory, extent: Extent, access: AccessMode) -> Result<()> {
        let bytes = &extent.bytes;
        if bytes.is_empty() {
            return Ok(());
        }
        if memory.is_lent() {
            return Err(Error::LentMemory { operation: None });
        }
        let (id, graph_users) = (self.capture.id, memory.graph_users());
        let free = match access {
            AccessMode::Read => graph_users.is_free_for(id),
            AccessMode::Write => graph_users.claim(id),
        };
        if !free {
            return Err(Error::BufferCaptured { operation: None });
        }
        let mut state = self.capture.state();
        let known = |used: &OwnedUse| {
            used.memory.is(memory)
                && (used.access == access || used.access == AccessMode::Write)
                && used.extent.bytes.start <= bytes.start
                && bytes.end <= used.extent.bytes.end
        };
        if !state.uses.iter().any(known) {
            graph_users.add_owner();
            state.uses.push(OwnedUse { memory: memory.clone(), extent, access });
        }
        Ok(())
    }

    /// Completes the recording. `ops` is the work on the CPU.
    pub(crate) fn finish(mut self, ops: Vec<Op>) {
        self.finished = true;
        let mut state = self.capture.state();
        state.launches += 1;
        state.ops.extend(ops);
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        if !self.finished {
            self.capture.state().failed = true;
        }
    }
}

impl<'a> Recorder<'a> {
    /// Adds a node.
    pub(crate) fn add(self, work: Work) {
        if matches!(work, Work::Fill(0) | Work::Copy(0)) {
            return;
        }
        self.capture.state().picture.add(self.lane, work);
    }

    /// Forks into groups and returns the place of the first; the others follow it.
    pub(crate) fn fork(self, groups: usize) -> Self {
        Self { lane: self.capture.state().picture.fork(self.lane, groups), ..self }
    }

    /// The place of a group, from that of the first.
    pub(crate) fn group(self, number: usize) -> Self {
        Self { lane: self.lane + number, ..self }
    }

    /// Joins the groups.
    pub(crate) fn join(self, first: Self, groups: usize) {
        self.capture.state().picture.join(self.lane, first.lane, groups);
    }
}
