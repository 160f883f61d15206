//! A capture under way: launches on its stream are recorded here instead of run.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

mod closure;
mod picture;

pub(crate) use closure::{Closure, check_outside};
pub use picture::GraphStats;
pub(crate) use picture::{Picture, Work};

use crate::buffer::Storage;
use crate::cpu::work::Op;
use crate::error::{Error, Result};
use crate::gpu::{CapturedGraph, CudaCapture};
use crate::order::hazard::Access;
use crate::order::turn::{Turn, Turns, Waiting};

/// A buffer that captured work uses, of which the graph is an owner as long as this lives.
#[derive(Debug)]
pub(crate) struct Captured {
    pub(crate) storage: Storage,
    pub(crate) bytes: Range<usize>,
    pub(crate) access: Access,
}

impl Drop for Captured {
    fn drop(&mut self) {
        // What replays have done comes before whatever somebody does who finds no graph any more.
        self.storage.in_graphs().owners.fetch_sub(1, Ordering::Release);
    }
}

/// What a stream records between the begin and the end of [`Stream::capture`](crate::Stream::capture).
pub(crate) struct Capture {
    id: u64,
    /// Launches from several threads share; the end excludes them.
    turns: Turns,
    state: Mutex<State>,
    cuda: Option<CudaCapture>,
}

struct State {
    ended: bool,
    failed: bool,
    /// Launches, fills and copies, those of no iterations and no elements too.
    launches: usize,
    uses: Vec<Captured>,
    picture: Picture,
    ops: Vec<Op>,
}

/// What a capture has recorded.
pub(crate) struct Recorded {
    pub(crate) launches: usize,
    pub(crate) failed: bool,
    pub(crate) uses: Vec<Captured>,
    pub(crate) picture: Picture,
    pub(crate) ops: Vec<Op>,
    /// What the driver has captured.
    pub(crate) cuda: Option<Result<CapturedGraph>>,
}

/// A place in a capture where work is recorded: its stream, or a group.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recorder<'a> {
    capture: &'a Capture,
    lane: usize,
}

/// Work that is being recorded. Without [`finish`](Self::finish) the capture has failed: a part of the work may be missing.
#[must_use]
pub(crate) struct Recording<'a> {
    capture: &'a Capture,
    finished: bool,
    _turn: Turn<'a>,
}

impl Capture {
    pub(crate) fn new(cuda: Option<CudaCapture>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let (uses, picture, ops) = (Vec::new(), Picture::new(), Vec::new());
        let state = State { ended: false, failed: false, launches: 0, uses, picture, ops };
        let turns = Turns::default();
        Self { id: NEXT.fetch_add(1, Ordering::Relaxed), turns, state: Mutex::new(state), cuda }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it goes on still; a stream that was kept beyond its capture is one like others.
    pub(crate) fn is_active(&self) -> bool {
        !self.state().ended
    }

    /// The driver's side of it; on the CPU there is none.
    pub(crate) fn cuda(&self) -> Option<&CudaCapture> {
        self.cuda.as_ref()
    }

    /// Begins to record one launch, fill or copy; none if the capture has ended.
    pub(crate) fn begin(&self) -> Result<Option<Recording<'_>>> {
        let turn = self.turns.share(Waiting::Blocks)?;
        Ok(self.is_active().then(|| Recording { capture: self, finished: false, _turn: turn }))
    }

    /// Ends it, behind the launches of other threads.
    pub(crate) fn end(&self) -> Result<Recorded> {
        let _turn = self.turns.exclude(Waiting::Blocks)?;
        // Before anybody takes the stream for one like others.
        let cuda = self.cuda.as_ref().map(CudaCapture::end);
        let mut state = self.state();
        state.ended = true;
        let uses = std::mem::take(&mut state.uses);
        uses.iter().for_each(|used| used.storage.in_graphs().release(self.id));
        let picture = std::mem::replace(&mut state.picture, Picture::new());
        let (launches, failed) = (state.launches, state.failed);
        Ok(Recorded { launches, failed, uses, picture, ops: std::mem::take(&mut state.ops), cuda })
    }
}

impl std::fmt::Debug for Capture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Capture({})", self.id)
    }
}

impl<'a> Recording<'a> {
    /// The place outside of all groups.
    pub(crate) fn recorder(&self) -> Recorder<'a> {
        Recorder { capture: self.capture, lane: 0 }
    }

    /// What the work uses.
    pub(crate) fn uses(&self, storage: &Storage, bytes: Range<usize>, access: Access) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (id, in_graphs) = (self.capture.id, storage.in_graphs());
        let free = match access {
            Access::Read => in_graphs.is_free_for(id),
            Access::Write => in_graphs.claim(id),
        };
        if !free {
            return Err(Error::BufferCaptured);
        }
        let mut state = self.capture.state();
        let known = |used: &Captured| {
            used.storage.start() == storage.start()
                && (used.access == access || used.access == Access::Write)
                && used.bytes.start <= bytes.start
                && bytes.end <= used.bytes.end
        };
        if !state.uses.iter().any(known) {
            // The borrow that it is captured under makes everybody see this who could come into conflict with the graph.
            in_graphs.owners.fetch_add(1, Ordering::Relaxed);
            state.uses.push(Captured { storage: storage.clone(), bytes, access });
        }
        Ok(())
    }

    /// The work is whole. `ops` is what it is on the CPU.
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
    /// A piece of work.
    pub(crate) fn add(self, work: Work) {
        if matches!(work, Work::Fill(0) | Work::Copy(0)) {
            return;
        }
        self.capture.state().picture.add(self.lane, work);
    }

    /// Opens groups: the place of the first; the others follow it.
    pub(crate) fn fork(self, groups: usize) -> Self {
        Self { lane: self.capture.state().picture.fork(self.lane, groups), ..self }
    }

    /// The place of a group, from that of the first.
    pub(crate) fn group(self, number: usize) -> Self {
        Self { lane: self.lane + number, ..self }
    }

    /// Closes them.
    pub(crate) fn join(self, first: Self, groups: usize) {
        self.capture.state().picture.join(self.lane, first.lane, groups);
    }

    /// The driver's side of the capture.
    pub(crate) fn cuda(self) -> Option<&'a CudaCapture> {
        self.capture.cuda()
    }
}

/// What graphs do with a block of memory.
#[derive(Debug, Default)]
pub(crate) struct InGraphs {
    /// Uses of graphs, and of captures under way.
    owners: AtomicUsize,
    /// The capture under way that writes it, or 0: until it ends nothing else may be done with the block, because what it would find
    /// there is not what the program has "written" before.
    writer: AtomicU64,
}

impl InGraphs {
    fn claim(&self, id: u64) -> bool {
        match self.writer.compare_exchange(0, id, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => true,
            Err(holder) => holder == id,
        }
    }

    fn is_free_for(&self, id: u64) -> bool {
        [0, id].contains(&self.writer.load(Ordering::Relaxed))
    }

    fn release(&self, id: u64) {
        let _ = self.writer.compare_exchange(id, 0, Ordering::Relaxed, Ordering::Relaxed); // of another capture: stays
    }

    /// Whether a launch or a copy has to take turns with graphs. One that is captured from now on, by another thread, cannot come into
    /// conflict with it: what it uses is borrowed until it ends.
    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        self.owners.load(Ordering::Acquire) > 0
    }

    /// Fails while a capture writes the block.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_free_for(0) { Ok(()) } else { Err(Error::BufferCaptured) }
    }
}
