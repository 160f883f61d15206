//! The names of all waits in this folder, and the streams that a launch has already waited for.
//!
//! They are for readers, and for `tests/standin/mutants`, which leaves out one wait at a time and
//! checks that a test fails.

use crate::order::hazard::AccessMode;

/// The streams that a launch has already waited for. One wait covers all arguments, because all
/// conflicting work was queued before the launch began.
#[derive(Debug, Default)]
pub(crate) struct Ordered {
    /// `None` as long as there are none: most launches wait for nothing.
    ids: Option<[u64; 16]>,
    count: usize,
}

impl Ordered {
    pub(super) fn is_new(&self, id: u64) -> bool {
        self.ids.as_ref().is_none_or(|ids| !ids[..self.count].contains(&id))
    }

    pub(super) fn insert(&mut self, id: u64) {
        // A launch waits for a seventeenth stream once per argument instead of once in total.
        if let Some(place) = self.ids.get_or_insert_default().get_mut(self.count) {
            *place = id;
            self.count += 1;
        }
    }
}

/// An order between two pieces of work, or between work and the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// A group starts after the work that was queued before its block.
    Fork,
    /// Work after a block starts after all of its groups.
    Join,
    /// The host waits for a group whose end could not be recorded.
    Unrecorded,
    /// The host waits for a group because its parent stream could not be made to wait for it.
    Unjoined,
    /// The host waits for a wrapped stream whose end could not be recorded when its handle was
    /// dropped.
    Unmarked,
    /// A read comes after the last write.
    ReadAfterWrite,
    /// A write comes after the reads before it.
    WriteAfterRead,
    /// A write comes after the write before it.
    WriteAfterWrite,
    /// One of the last three, for work on a wrapped stream that its owner may have destroyed since.
    /// On HIP also the wait of a stream of this crate, on which the event for such work is
    /// recorded.
    AfterForeign,
    /// Memory is freed after its uses on other streams.
    FreeAfterUse,
    /// A stream of another library goes on with memory after our uses of it.
    #[cfg_attr(not(feature = "cudarc"), expect(dead_code, reason = "only that feature hands over to streams"))]
    HandOver,
    /// The host waits for the uses of memory before another library gets it.
    #[cfg_attr(
        not(any(feature = "dlpack", feature = "ndarray")),
        expect(dead_code, reason = "only they give memory away")
    )]
    GiveAway,
    /// The host waits for the uses of foreign memory before its owner goes.
    Release,
    /// The last memory is freed when the device is idle.
    CloseAfterUse,
    /// A stream waits for the user's event.
    Event,
    /// The host waits for the user's stream.
    Synchronize,
    /// The host waits for the whole device on the user's request.
    SynchronizeDevice,
    /// The host waits for the user's event.
    SynchronizeEvent,
    /// The host waits for an event before it reads the event's time.
    Time,
    /// The host waits for a copy that it reads.
    Read,
    /// The host waits for its copy to the device, because the caller may reuse the source
    /// afterwards.
    Write,
    /// The host waits for a chunk of a large copy.
    Chunk,
    /// The host waits for a copy from buffer to buffer.
    Copy,
    /// The host waits until new memory is zero.
    Clear,
    /// A copy from or to pinned memory comes after a copy on another stream.
    PinnedCopy,
    /// The host reads pinned memory after the copies to it.
    PinnedRead,
    /// The host writes pinned memory after the copies to it and from it.
    PinnedWrite,
    /// The host waits for a copy from or to pinned memory whose end could not be recorded.
    UnrecordedCopy,
    /// The second half of a copy through the host, from a device to it and from there to another
    /// device, comes after the first half.
    Staged,
    /// A copy of the next chunk to the host comes after the copies of the chunk that had its place.
    StagingReuse,
    /// A copy through the host starts after the work that its stream waits for, also on the other
    /// device.
    StagingFork,
    /// Work after a copy through the host comes after the half of it on the other device.
    StagingJoin,
    /// The host waits for a copy through it that has failed halfway.
    StagingFailed,
    /// The host waits for our streams before it clears the record of a panic.
    Report,
}

impl Wait {
    /// What a trace calls a wait of one stream for another. It shows forks and joins in another
    /// way, and no waits of the host.
    pub(super) fn traced(self) -> Option<&'static str> {
        match self {
            Self::ReadAfterWrite => Some("read after write"),
            Self::WriteAfterRead => Some("write after read"),
            Self::WriteAfterWrite => Some("write after write"),
            Self::AfterForeign => Some("after another library"),
            Self::Event => Some("event"),
            Self::PinnedCopy => Some("pinned memory"),
            Self::Fork
            | Self::Join
            | Self::Unrecorded
            | Self::Unjoined
            | Self::Unmarked
            | Self::FreeAfterUse
            | Self::HandOver
            | Self::GiveAway
            | Self::Release
            | Self::CloseAfterUse
            | Self::Synchronize
            | Self::SynchronizeDevice
            | Self::SynchronizeEvent
            | Self::Time
            | Self::Read
            | Self::Write
            | Self::Chunk
            | Self::Copy
            | Self::Clear
            | Self::PinnedRead
            | Self::PinnedWrite
            | Self::UnrecordedCopy
            | Self::Staged
            | Self::StagingReuse
            | Self::StagingFork
            | Self::StagingJoin
            | Self::StagingFailed
            | Self::Report => None,
        }
    }

    /// The wait of a use of memory for an earlier use on another stream.
    pub(super) fn between(earlier: AccessMode, later: AccessMode) -> Self {
        match (earlier, later) {
            (_, AccessMode::Read) => Self::ReadAfterWrite, // reads do not wait for reads
            (AccessMode::Read, AccessMode::Write) => Self::WriteAfterRead,
            (AccessMode::Write, AccessMode::Write) => Self::WriteAfterWrite,
        }
    }
}
