//! The lock between the launch of a graph and other work with its buffers.
//!
//! The borrow checker separates launches and copies of different threads, because they borrow their
//! buffers. A [`Graph`](crate::Graph) borrows nothing: it shares ownership of its buffers. So this
//! lock separates its launches, at run time, from each other and from launches and copies that use
//! a buffer of a graph. Work without a buffer of a graph does not take the lock.
//!
//! On a GPU, the launch of a graph is one driver call and holds the lock alone. On the CPU, it
//! holds the lock until the graph has run, so there it excludes only work that uses the same bytes,
//! unless both only read them.
//!
//! Each device has a lock of its own. Two threads that hold one and wait for that of the other
//! would wait forever, so a thread that holds one never waits for another: it gets an error. Each
//! capture has a lock, too, which the launch of a graph never takes.

use std::cell::Cell;
use std::ops::Range;
use std::sync::{Condvar, MutexGuard};
use std::thread::{self, ThreadId};

use super::hazard::AccessMode;
use crate::error::{Error, Result};
use crate::lock::{self, Lock};

/// The graph lock of one device.
#[derive(Debug, Default)]
pub(crate) struct GraphLock {
    state: Lock<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// What holds the lock.
    holders: Vec<Holder>,
    /// The number of holders so far.
    held: u64,
    /// Number of threads that wait for the lock.
    waiting: usize,
}

/// A launch or copy in progress.
#[derive(Debug)]
struct Holder {
    number: u64,
    thread: ThreadId,
    /// Two launches that share the lock do not conflict: their buffers are borrowed.
    is_graph: bool,
    used: Used,
}

/// The memory that the lock protects for a holder.
#[derive(Debug, Clone)]
pub(crate) enum Used {
    /// All memory of the device.
    All,
    /// These bytes of blocks, each with the address that identifies the block.
    Bytes(Vec<(usize, Range<usize>, AccessMode)>),
}

impl Used {
    fn conflicts(&self, other: &Used) -> bool {
        let (Used::Bytes(these), Used::Bytes(those)) = (self, other) else { return true };
        these.iter().any(|(block, bytes, access)| {
            those.iter().any(|(other_block, other_bytes, other_access)| {
                block == other_block
                    && bytes.start < other_bytes.end
                    && other_bytes.start < bytes.end
                    && (*access, *other_access) != (AccessMode::Read, AccessMode::Read)
            })
        })
    }
}

thread_local! {
    /// The number of guards of devices that this thread holds.
    static HELD: Cell<usize> = const { Cell::new(0) };
}

/// The number of locks that a thread holds. Other threads that run parts of its launch hold them,
/// too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Held(usize);

/// This thread counts as one that holds these locks until the value is dropped.
#[derive(Debug)]
pub(crate) struct HeldHere(usize);

impl Held {
    /// What this thread holds.
    pub(crate) fn here() -> Self {
        Self(HELD.get())
    }

    /// For a thread that runs a part of the launch.
    pub(crate) fn enter(self) -> HeldHere {
        HELD.set(HELD.get() + self.0);
        HeldHere(self.0)
    }
}

impl Drop for HeldHere {
    fn drop(&mut self) {
        HELD.set(HELD.get() - self.0);
    }
}

/// Whether a thread can wait for the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// The thread may block.
    Blocks,
    /// The lock is that of a capture.
    OfCapture,
    /// The thread is a worker of `rayon`, and the work that it would wait for may be on its own
    /// stack.
    MayDeadlock,
}

/// A guard of the lock; dropping it releases the lock.
#[derive(Debug)]
#[must_use]
pub(crate) struct GraphGuard<'a> {
    graph_lock: &'a GraphLock,
    number: u64,
    is_counted: bool,
}

impl Waiting {
    /// For a device whose work runs on `rayon`.
    pub(crate) fn on_cpu() -> Self {
        if rayon::current_thread_index().is_none() { Self::Blocks } else { Self::MayDeadlock }
    }

    /// Whether this thread may wait now.
    fn may_block(self) -> bool {
        match self {
            Self::Blocks => HELD.get() == 0,
            Self::OfCapture => true,
            Self::MayDeadlock => false,
        }
    }
}

impl GraphLock {
    /// Locks for a launch or a copy. Many can hold the lock at the same time.
    ///
    /// This does not wait for a graph that itself waits for the lock: otherwise, a launch in the
    /// host part of another launch would deadlock.
    #[cold]
    pub(crate) fn share(&self, used: Used, waiting: Waiting) -> Result<GraphGuard<'_>> {
        self.hold(false, used, waiting)
    }

    /// Locks for the launch of a graph.
    pub(crate) fn exclude(&self, used: Used, waiting: Waiting) -> Result<GraphGuard<'_>> {
        self.hold(true, used, waiting)
    }

    fn hold(&self, is_graph: bool, used: Used, waiting: Waiting) -> Result<GraphGuard<'_>> {
        let thread = thread::current().id();
        let mut state = self.state.lock();
        // A thread does not launch a graph within another launch, whatever they use: on a GPU it
        // could not.
        let excludes = |holder: &&Holder| {
            (is_graph || holder.is_graph) && (holder.thread == thread || holder.used.conflicts(&used))
        };
        while let Some(holder) = state.holders.iter().find(excludes) {
            if !waiting.may_block() || holder.thread == thread {
                return Err(Error::GraphUnderWay);
            }
            state = self.wait(state);
        }
        let number = state.held;
        state.held += 1;
        state.holders.push(Holder { number, thread, is_graph, used });
        Ok(GraphGuard::new(self, number, waiting))
    }

    fn wait<'a>(&self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.waiting += 1;
        state = lock::wait(&self.changed, state);
        state.waiting -= 1;
        state
    }
}

impl<'a> GraphGuard<'a> {
    fn new(graph_lock: &'a GraphLock, number: u64, waiting: Waiting) -> Self {
        let is_counted = waiting != Waiting::OfCapture;
        HELD.set(HELD.get() + usize::from(is_counted));
        Self { graph_lock, number, is_counted }
    }
}

impl Drop for GraphGuard<'_> {
    fn drop(&mut self) {
        HELD.set(HELD.get() - usize::from(self.is_counted));
        let mut state = self.graph_lock.state.lock();
        if let Some(place) = state.holders.iter().position(|holder| holder.number == self.number) {
            state.holders.swap_remove(place);
        }
        // Notifying is a system call, even if no thread waits.
        let wake = state.waiting > 0;
        drop(state);
        if wake {
            self.graph_lock.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn launches_share_and_a_graph_is_alone() {
        let graph_lock = GraphLock::default();
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            let first = graph_lock.share(Used::All, Waiting::Blocks).unwrap();
            let second = graph_lock.share(Used::All, Waiting::Blocks).unwrap();
            scope.spawn(|| {
                let _alone = graph_lock.exclude(Used::All, Waiting::Blocks).unwrap();
                sender.send("graph").unwrap();
            });
            assert!(receiver.recv_timeout(Duration::from_millis(20)).is_err(), "two launches are in progress");
            drop(first);
            assert!(receiver.recv_timeout(Duration::from_millis(20)).is_err(), "one launch is in progress");
            // A launch within a launch does not wait, although a graph is waiting.
            drop(graph_lock.share(Used::All, Waiting::Blocks).unwrap());
            drop(second);
            assert_eq!(receiver.recv_timeout(Duration::from_secs(10)), Ok("graph"));
        });
    }

    #[test]
    fn who_would_wait_for_itself_is_told() {
        let graph_lock = GraphLock::default();
        let launch = graph_lock.share(Used::All, Waiting::Blocks).unwrap();
        assert!(matches!(graph_lock.exclude(Used::All, Waiting::Blocks), Err(Error::GraphUnderWay)));
        drop(launch);
        let graph = graph_lock.exclude(Used::All, Waiting::Blocks).unwrap();
        assert!(matches!(graph_lock.exclude(Used::All, Waiting::Blocks), Err(Error::GraphUnderWay)));
        assert!(matches!(graph_lock.share(Used::All, Waiting::Blocks), Err(Error::GraphUnderWay)));
        thread::scope(|scope| {
            scope.spawn(|| {
                assert!(matches!(graph_lock.share(Used::All, Waiting::MayDeadlock), Err(Error::GraphUnderWay)))
            });
        });
        drop(graph);
        assert!(graph_lock.exclude(Used::All, Waiting::MayDeadlock).is_ok());
    }

    #[test]
    fn who_holds_one_lock_does_not_wait_for_another() {
        let (here, there) = (GraphLock::default(), GraphLock::default());
        let graph = there.exclude(Used::All, Waiting::Blocks).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                let _launch = here.share(Used::All, Waiting::Blocks).unwrap();
                assert!(matches!(there.share(Used::All, Waiting::Blocks), Err(Error::GraphUnderWay)));
                assert!(matches!(there.exclude(Used::All, Waiting::Blocks), Err(Error::GraphUnderWay)));
            });
        });
        drop(graph);
        let _launch = here.share(Used::All, Waiting::Blocks).unwrap();
        assert!(there.share(Used::All, Waiting::Blocks).is_ok(), "nobody is in the way");
    }

    #[test]
    fn graphs_exclude_what_uses_the_same_bytes() {
        use AccessMode::{Read, Write};
        let used = |uses: &[(usize, Range<usize>, AccessMode)]| Used::Bytes(uses.to_vec());
        let graph_lock = GraphLock::default();
        let graph = graph_lock.exclude(used(&[(1, 0..8, Write), (2, 0..8, Read)]), Waiting::Blocks).unwrap();
        for (uses, is_free) in [
            (used(&[(1, 0..8, Read)]), false),
            (used(&[(1, 7..9, Write)]), false),
            (used(&[(3, 0..8, Write), (2, 4..5, Write)]), false),
            (Used::All, false),
            (used(&[(1, 8..9, Write)]), true),
            (used(&[(2, 0..8, Read), (3, 0..8, Write)]), true),
            (used(&[]), true),
        ] {
            let other = || {
                let graph = graph_lock.exclude(uses.clone(), Waiting::MayDeadlock).is_ok();
                let launch = graph_lock.share(uses.clone(), Waiting::MayDeadlock).is_ok();
                assert_eq!((graph, launch), (is_free, is_free), "{uses:?}");
            };
            thread::scope(|scope| scope.spawn(other).join()).unwrap();
        }
        let here = graph_lock.exclude(used(&[(9, 0..1, Write)]), Waiting::Blocks);
        assert!(matches!(here, Err(Error::GraphUnderWay)), "a graph within a graph, as on a GPU");
        drop(graph);
    }
}
