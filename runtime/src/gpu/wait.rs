//! Why somebody waits: every order that this folder makes has a name, so that tests can leave it out.
//!
//! `tests/standin/mutants` builds with `--cfg anabranch_mutants`, leaves out one wait after the other and requires each time
//! that a test fails. In every other build nothing can be left out, and the names are for readers.

use std::ops::Range;

use crate::order::hazard::{Access, Hazards, StreamId};

/// An order between two pieces of work, or between work and the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// A group starts behind what was queued before its block.
    Fork,
    /// What comes behind a block starts behind each of its groups.
    Join,
    /// The host waits for a group whose end could not be recorded.
    Unrecorded,
    /// The host waits for a group that the stream around could not be made to wait for.
    Unjoined,
    /// The host waits for a stream of somebody else's whose end could not be recorded when its handle went.
    Unmarked,
    /// A stream takes memory over from another one: the next three, whatever the kind.
    HandOver,
    /// A read comes behind the last write.
    ReadAfterWrite,
    /// A write comes behind the reads before it.
    WriteAfterRead,
    /// A write comes behind the write before it.
    WriteAfterWrite,
    /// The same for what was queued on a stream whose owner may have destroyed it since.
    AfterForeign,
    /// Memory is used behind its allocation in the order of a stream.
    UseAfterAllocation,
    /// Memory is freed behind its uses on other streams.
    FreeAfterUse,
    /// Memory that cannot be freed in the order of a stream is freed once its uses are complete.
    DiscardAfterUse,
    /// The last memory is freed when the device is at rest.
    CloseAfterUse,
    /// A stream waits for an event of the user's.
    Event,
    /// The host waits for a stream of the user's.
    Synchronize,
    /// The host waits for an event of the user's.
    SynchronizeEvent,
    /// The host waits for an event before it asks for its time.
    Time,
    /// The host waits for what it reads.
    Read,
    /// The host waits for its copy to the device, whose source it gives back.
    Write,
    /// The host waits for a copy from buffer to buffer.
    Copy,
    /// The host waits until new memory is zero.
    Clear,
    /// A copy from or to pinned memory comes behind one on another stream.
    PinnedCopy,
    /// The host reads pinned memory behind the copies to it.
    PinnedRead,
    /// The host writes pinned memory behind the copies to it and from it.
    PinnedWrite,
    /// The host waits for a copy from or to pinned memory that nobody else could wait for.
    UnrecordedCopy,
    /// A panic is reported when no other launch can add to it.
    Report,
}

impl Wait {
    /// Whether this run does without.
    #[cfg(anabranch_mutants)]
    pub(super) fn is_left_out(self) -> bool {
        static MUTANT: std::sync::LazyLock<Option<String>> =
            std::sync::LazyLock::new(|| std::env::var("ANABRANCH_MUTANT").ok());
        MUTANT.as_ref().is_some_and(|mutant| *mutant == format!("{self:?}"))
    }

    /// Whether this run does without: never.
    #[cfg(not(anabranch_mutants))]
    pub(super) const fn is_left_out(self) -> bool {
        false
    }
}

/// The streams of conflicting uses that a use does not wait for: none, except where one kind of hazard is left out.
pub(super) fn left_out<S: StreamId>(hazards: &Hazards<S>, range: &Range<usize>, access: Access, id: u64) -> Vec<u64> {
    if !cfg!(anabranch_mutants) {
        return Vec::new();
    }
    let streams = |access| {
        let mut ids = Vec::new();
        let _ = hazards.conflicts(range, access, id, |stream| {
            ids.push(stream.id());
            Ok::<(), ()>(())
        });
        ids
    };
    // A read waits for writes alone.
    let (mut all, writers) = (streams(access), streams(Access::Read));
    match access {
        Access::Read if Wait::ReadAfterWrite.is_left_out() => writers,
        Access::Write if Wait::WriteAfterWrite.is_left_out() => writers,
        Access::Write if Wait::WriteAfterRead.is_left_out() => {
            all.retain(|stream| !writers.contains(stream));
            all
        }
        _ => Vec::new(),
    }
}
