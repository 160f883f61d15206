//! The lock between the launch of a graph and other work with its buffers.
//!
//! The borrow checker separates launches and copies of different threads, because they borrow their buffers. A [`Graph`](crate::Graph)
//! borrows nothing: it shares ownership of its buffers. So this lock separates its launches, at run time, from each other and from
//! launches and copies that use a buffer of a graph. The launch of a graph holds the lock alone; on the CPU, until the graph has run. Work
//! without a buffer of a graph does not take the lock.
//!
//! Each device has a lock of its own. Two threads that hold one and wait for that of the other would wait forever, so a thread that holds one
//! never waits for another: it gets an error. Each capture has a lock, too, which the launch of a graph never takes.

use std::cell::Cell;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use crate::error::{Error, Result};

/// The graph lock of one device.
#[derive(Debug, Default)]
pub(crate) struct GraphLock {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The threads of the launches and copies in progress, one entry for each launch or copy.
    shared: Vec<ThreadId>,
    /// The thread that is launching a graph.
    exclusive: Option<ThreadId>,
    /// Number of threads that wait for the lock.
    waiting: usize,
}

thread_local! {
    /// The number of guards of devices that this thread holds.
    static HELD: Cell<usize> = const { Cell::new(0) };
}

/// Whether a thread can wait for the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// The thread may block.
    Blocks,
    /// The lock is that of a capture.
    OfCapture,
    /// The thread is a worker of `rayon`, and the work that it would wait for may be on its own stack.
    MayDeadlock,
}

/// A guard of the lock; dropping it releases the lock.
#[derive(Debug)]
#[must_use]
pub(crate) struct GraphGuard<'a> {
    graph_lock: &'a GraphLock,
    exclusive: bool,
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
    /// This does not wait for a graph that itself waits for the lock: otherwise, a launch in the host part of another launch would
    /// deadlock.
    #[cold]
    pub(crate) fn share(&self, waiting: Waiting) -> Result<GraphGuard<'_>> {
        let me = thread::current().id();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(holder) = state.exclusive {
            if !waiting.may_block() || holder == me {
                return Err(Error::GraphUnderWay);
            }
            state = self.wait(state);
        }
        state.shared.push(me);
        Ok(GraphGuard::new(self, false, waiting))
    }

    /// Locks for the launch of a graph.
    pub(crate) fn exclude(&self, waiting: Waiting) -> Result<GraphGuard<'_>> {
        let me = thread::current().id();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.exclusive.is_some() || !state.shared.is_empty() {
            if !waiting.may_block() || state.exclusive == Some(me) || state.shared.contains(&me) {
                return Err(Error::GraphUnderWay);
            }
            state = self.wait(state);
        }
        state.exclusive = Some(me);
        Ok(GraphGuard::new(self, true, waiting))
    }

    fn wait<'a>(&self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.waiting += 1;
        state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        state
    }
}

impl<'a> GraphGuard<'a> {
    fn new(graph_lock: &'a GraphLock, exclusive: bool, waiting: Waiting) -> Self {
        let is_counted = waiting != Waiting::OfCapture;
        HELD.set(HELD.get() + usize::from(is_counted));
        Self { graph_lock, exclusive, is_counted }
    }
}

impl Drop for GraphGuard<'_> {
    fn drop(&mut self) {
        HELD.set(HELD.get() - usize::from(self.is_counted));
        let me = thread::current().id();
        let mut state = self.graph_lock.state.lock().unwrap_or_else(PoisonError::into_inner);
        if self.exclusive {
            state.exclusive = None;
        } else if let Some(place) = state.shared.iter().position(|thread| *thread == me) {
            state.shared.swap_remove(place);
        }
        // Notifying is a system call, even if no thread waits.
        let wake = state.waiting > 0 && state.shared.is_empty();
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
            let first = graph_lock.share(Waiting::Blocks).unwrap();
            let second = graph_lock.share(Waiting::Blocks).unwrap();
            scope.spawn(|| {
                let _alone = graph_lock.exclude(Waiting::Blocks).unwrap();
                sender.send("graph").unwrap();
            });
            assert!(receiver.recv_timeout(Duration::from_millis(20)).is_err(), "two launches are in progress");
            drop(first);
            assert!(receiver.recv_timeout(Duration::from_millis(20)).is_err(), "one launch is in progress");
            // A launch within a launch does not wait, although a graph is waiting.
            drop(graph_lock.share(Waiting::Blocks).unwrap());
            drop(second);
            assert_eq!(receiver.recv_timeout(Duration::from_secs(10)), Ok("graph"));
        });
    }

    #[test]
    fn who_would_wait_for_itself_is_told() {
        let graph_lock = GraphLock::default();
        let launch = graph_lock.share(Waiting::Blocks).unwrap();
        assert!(matches!(graph_lock.exclude(Waiting::Blocks), Err(Error::GraphUnderWay)));
        drop(launch);
        let graph = graph_lock.exclude(Waiting::Blocks).unwrap();
        assert!(matches!(graph_lock.exclude(Waiting::Blocks), Err(Error::GraphUnderWay)));
        assert!(matches!(graph_lock.share(Waiting::Blocks), Err(Error::GraphUnderWay)));
        thread::scope(|scope| {
            scope.spawn(|| assert!(matches!(graph_lock.share(Waiting::MayDeadlock), Err(Error::GraphUnderWay))));
        });
        drop(graph);
        assert!(graph_lock.exclude(Waiting::MayDeadlock).is_ok());
    }

    #[test]
    fn who_holds_one_lock_does_not_wait_for_another() {
        let (here, there) = (GraphLock::default(), GraphLock::default());
        let graph = there.exclude(Waiting::Blocks).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                let _launch = here.share(Waiting::Blocks).unwrap();
                assert!(matches!(there.share(Waiting::Blocks), Err(Error::GraphUnderWay)));
                assert!(matches!(there.exclude(Waiting::Blocks), Err(Error::GraphUnderWay)));
            });
        });
        drop(graph);
        let _launch = here.share(Waiting::Blocks).unwrap();
        assert!(there.share(Waiting::Blocks).is_ok(), "nobody is in the way");
    }
}
