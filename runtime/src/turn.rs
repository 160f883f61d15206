//! Who may use the memory of a device now: launches and copies, whose buffers are borrowed, or a graph, which borrows nothing.
//!
//! Rust's borrows keep launches and copies of different threads apart. A [`Graph`](crate::Graph) owns a share of the buffers
//! it touches, so its launches are kept apart from the others, and from each other, at run time: it has the device to itself while
//! it is launched (on the CPU, while it runs). A device without graphs pays one load a launch.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use crate::error::{Error, Result};

/// The turns of one device.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    graphs: AtomicUsize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The threads of the launches and copies under way, one entry each.
    shared: Vec<ThreadId>,
    /// The thread that launches a graph.
    exclusive: Option<ThreadId>,
}

/// What a thread that has to wait would do meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// Nothing, so it may wait.
    Blocks,
    /// It belongs to `rayon`, where what it waits for may lie below it on its own stack.
    MayDeadlock,
}

/// A turn; ends when dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
    exclusive: bool,
}

impl Waiting {
    /// On a device whose work runs on `rayon`.
    pub(crate) fn on_cpu() -> Self {
        if rayon::current_thread_index().is_none() { Self::Blocks } else { Self::MayDeadlock }
    }
}

impl Turns {
    /// A graph is about to be captured.
    pub(crate) fn add_graph(&self) {
        self.graphs.fetch_add(1, Ordering::Relaxed);
    }

    /// A graph is gone, or its capture has failed.
    pub(crate) fn remove_graph(&self) {
        self.graphs.fetch_sub(1, Ordering::Relaxed);
    }

    /// For a launch or a copy; many at a time. None where there is no graph: one that is captured from now on, by another
    /// thread, cannot touch what this one uses, which is borrowed until it ends.
    #[inline]
    pub(crate) fn share(&self, waiting: impl FnOnce() -> Waiting) -> Result<Option<Turn<'_>>> {
        if self.graphs.load(Ordering::Relaxed) == 0 { Ok(None) } else { self.share_beside_graphs(waiting()).map(Some) }
    }

    /// The same where there is one.
    #[cold]
    pub(crate) fn share_beside_graphs(&self, waiting: Waiting) -> Result<Turn<'_>> {
        let me = thread::current().id();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // Shares never wait for a graph that waits itself: a launch in the host part of another one would wait for ever.
        while let Some(holder) = state.exclusive {
            if waiting == Waiting::MayDeadlock || holder == me {
                return Err(Error::GraphUnderWay);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.shared.push(me);
        Ok(Turn { turns: self, exclusive: false })
    }

    /// For the launch of a graph.
    pub(crate) fn exclude(&self, waiting: Waiting) -> Result<Turn<'_>> {
        let me = thread::current().id();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.exclusive.is_some() || !state.shared.is_empty() {
            if waiting == Waiting::MayDeadlock || state.exclusive == Some(me) || state.shared.contains(&me) {
                return Err(Error::GraphUnderWay);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.exclusive = Some(me);
        Ok(Turn { turns: self, exclusive: true })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let me = thread::current().id();
        let mut state = self.turns.state.lock().unwrap_or_else(PoisonError::into_inner);
        if self.exclusive {
            state.exclusive = None;
        } else if let Some(place) = state.shared.iter().position(|thread| *thread == me) {
            state.shared.swap_remove(place);
        }
        drop(state);
        self.turns.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    fn with_graph() -> Turns {
        let turns = Turns::default();
        turns.add_graph();
        turns
    }

    #[test]
    fn without_graphs_nothing_is_locked() {
        let turns = Turns::default();
        assert!(turns.share(|| Waiting::MayDeadlock).unwrap().is_none());
    }

    #[test]
    fn launches_share_and_a_graph_is_alone() {
        let turns = with_graph();
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            let first = turns.share(|| Waiting::Blocks).unwrap();
            let second = turns.share(|| Waiting::Blocks).unwrap();
            scope.spawn(|| {
                let _alone = turns.exclude(Waiting::Blocks).unwrap();
                sender.send("graph").unwrap();
            });
            assert!(receiver.recv_timeout(Duration::from_millis(20)).is_err(), "two launches are under way");
            drop(first);
            assert!(receiver.recv_timeout(Duration::from_millis(20)).is_err(), "one launch is under way");
            // A launch within a launch, although a graph waits.
            drop(turns.share(|| Waiting::Blocks).unwrap());
            drop(second);
            assert_eq!(receiver.recv_timeout(Duration::from_secs(10)), Ok("graph"));
        });
    }

    #[test]
    fn who_would_wait_for_itself_is_told() {
        let turns = with_graph();
        let launch = turns.share(|| Waiting::Blocks).unwrap();
        assert!(matches!(turns.exclude(Waiting::Blocks), Err(Error::GraphUnderWay)));
        drop(launch);
        let graph = turns.exclude(Waiting::Blocks).unwrap();
        assert!(matches!(turns.exclude(Waiting::Blocks), Err(Error::GraphUnderWay)));
        assert!(matches!(turns.share(|| Waiting::Blocks), Err(Error::GraphUnderWay)));
        thread::scope(|scope| {
            scope.spawn(|| assert!(matches!(turns.share(|| Waiting::MayDeadlock), Err(Error::GraphUnderWay))));
        });
        drop(graph);
        assert!(turns.exclude(Waiting::MayDeadlock).is_ok());
    }
}
