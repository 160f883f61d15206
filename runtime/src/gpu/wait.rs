//! Why something waits: every order that this folder makes has a name.
//!
//! The names are for readers, and for `tests/standin/mutants`, which leaves out one wait after the other and requires each time that a test
//! fails.

use crate::order::hazard::Access;

/// An order between two pieces of work, or between work and the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
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
    /// A read comes behind the last write.
    ReadAfterWrite,
    /// A write comes behind the reads before it.
    WriteAfterRead,
    /// A write comes behind the write before it.
    WriteAfterWrite,
    /// The same for what was queued on a stream whose owner may have destroyed it since.
    AfterForeign,
    /// Memory is freed behind its uses on other streams.
    FreeAfterUse,
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
    /// Why a use of memory waits for an earlier one on another stream.
    pub(super) fn between(earlier: Access, later: Access) -> Self {
        match (earlier, later) {
            (_, Access::Read) => Self::ReadAfterWrite, // reads do not wait for reads
            (Access::Read, Access::Write) => Self::WriteAfterRead,
            (Access::Write, Access::Write) => Self::WriteAfterWrite,
        }
    }
}
