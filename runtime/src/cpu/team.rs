//! How several threads run the parts of one launch.
//!
//! A [`Team`] belongs to a launch. The thread that launches claims parts, and so do helpers: tasks
//! of the current `rayon` pool. When no part is left, the launching thread waits for the parts that
//! helpers still run. While it waits, it runs parts of its own launch and nothing else. In
//! particular it never runs another task of `rayon`: that task could lock a mutex, or borrow a
//! `RefCell`, that the caller of the launch holds. Therefore nothing here uses `join`, `scope` or
//! parallel iterators, which run other tasks while they wait.
//!
//! A launch never waits for a helper to start. If the workers are busy or blocked, the launching
//! thread runs all parts, and a helper that starts later finds nothing to do. So a launch ends if
//! its parts do. The number of helpers that have not started is limited for each thread, so
//! launches in a busy pool do not pile up tasks.
//!
//! A part may distribute work, too, such as the loops of a group. These batches form a tree. The
//! thread that opened a batch runs parts of this batch and of those inside it, so it stays useful
//! while it waits.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, MutexGuard};

use crate::lock::{self, Lock};
use crate::order::graph_lock::Held;

/// How many helpers a thread asks for at once. Each helper asks for more, so the launching thread
/// does not wake all workers alone.
const ASKED_AT_ONCE: usize = 2;

/// The threads that work on one launch.
pub(crate) struct Team {
    state: Lock<State>,
    /// Notified when a batch opens, or its last part ends.
    changed: Condvar,
    /// The size of the pool.
    threads: usize,
    /// The helpers that this thread's launches have asked for and that have not started.
    not_started: Arc<AtomicUsize>,
    /// The graph locks that the launching thread holds.
    held: Held,
}

#[derive(Default)]
struct State {
    /// The oldest first, so a batch comes after the one that it is inside.
    batches: Vec<Batch>,
    /// The number of batches so far.
    opened: usize,
    /// The helpers that were asked for and have not left.
    helpers: usize,
    /// The threads that wait for `changed`.
    waiting: usize,
}

type Run = dyn Fn(usize, &Parent) + Send + Sync;

/// Parts that may run at the same time.
struct Batch {
    number: usize,
    inside: Option<usize>,
    parts: usize,
    claimed: usize,
    ended: usize,
    run: Arc<Run>,
    /// The first panic of a part.
    panic: Option<Box<dyn Any + Send>>,
}

/// The batch of a part that is running.
pub(crate) struct Parent {
    team: Arc<Team>,
    batch: usize,
}

/// A part that this thread has claimed.
struct Claimed {
    batch: usize,
    part: usize,
    run: Arc<Run>,
}

/// Runs `run` for each part and returns when all have ended. A panic of a part goes on here. What
/// `run` owns is dropped on this thread.
pub(crate) fn distribute(parent: Option<&Parent>, parts: usize, run: impl Fn(usize, &Parent) + Send + Sync + 'static) {
    let team = parent.map_or_else(Team::new, |parent| Arc::clone(&parent.team));
    let batch = team.open(parent.map(|parent| parent.batch), parts, Arc::new(run));
    let batch = team.complete(batch);
    if let Some(payload) = batch.panic {
        resume_unwind(payload);
    }
}

thread_local! {
    static NOT_STARTED: Arc<AtomicUsize> = Arc::default();
}

impl Team {
    fn new() -> Arc<Self> {
        // While a thread ends, it may have no counter any more. Then nobody helps.
        let not_started = NOT_STARTED.try_with(Arc::clone);
        let threads = if not_started.is_ok() { rayon::current_num_threads() } else { 1 };
        Arc::new(Self {
            state: Lock::default(),
            changed: Condvar::new(),
            threads,
            not_started: not_started.unwrap_or_default(),
            held: Held::here(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No user code runs under the lock.
        self.state.lock()
    }

    /// Adds a batch and asks for helpers.
    fn open(self: &Arc<Self>, inside: Option<usize>, parts: usize, run: Arc<Run>) -> usize {
        let mut state = self.lock();
        let number = state.opened;
        state.opened += 1;
        state.batches.push(Batch { number, inside, parts, claimed: 0, ended: 0, run, panic: None });
        self.notify(&state);
        self.ask(state, 1);
        number
    }

    /// Runs and awaits the parts of a batch.
    fn complete(self: &Arc<Self>, batch: usize) -> Batch {
        let mut state = self.lock();
        loop {
            if let Some(claimed) = state.claim(Some(batch)) {
                drop(state);
                state = self.run(claimed);
            } else if let Some(place) = state.batches.iter().position(|b| b.number == batch && b.ended == b.parts) {
                return state.batches.remove(place);
            } else {
                state.waiting += 1;
                state = lock::wait(&self.changed, state);
                state.waiting -= 1;
            }
        }
    }

    /// Runs parts until none is left.
    fn help(self: &Arc<Self>) {
        self.not_started.fetch_sub(1, Ordering::Relaxed);
        let _held = self.held.enter();
        self.ask(self.lock(), 1);
        let mut state = self.lock();
        while let Some(claimed) = state.claim(None) {
            drop(state);
            state = self.run(claimed);
        }
        state.helpers -= 1;
    }

    /// Asks for helpers for the parts that nobody has claimed, of which the caller takes `own`.
    fn ask(self: &Arc<Self>, mut state: MutexGuard<'_, State>, own: usize) {
        let parts: usize = state.batches.iter().map(|batch| batch.parts - batch.claimed).sum();
        let absent = self.threads.saturating_sub(1 + state.helpers).min(parts.saturating_sub(own));
        let room = self.threads.saturating_sub(self.not_started.load(Ordering::Relaxed));
        let asked = absent.min(room).min(ASKED_AT_ONCE);
        state.helpers += asked;
        drop(state);
        self.not_started.fetch_add(asked, Ordering::Relaxed);
        for _ in 0..asked {
            let team = Arc::clone(self);
            rayon::spawn(move || team.help());
        }
    }

    fn run(self: &Arc<Self>, claimed: Claimed) -> MutexGuard<'_, State> {
        let Claimed { batch, part, run } = claimed;
        let parent = Parent { team: Arc::clone(self), batch };
        let ended = catch_unwind(AssertUnwindSafe(|| run(part, &parent)));
        // Before the part counts as ended, so the last owner is the batch.
        drop(run);
        let mut state = self.lock();
        if let Some(batch) = state.batches.iter_mut().find(|b| b.number == batch) {
            batch.ended += 1;
            if let Err(payload) = ended {
                match &batch.panic {
                    None => batch.panic = Some(payload),
                    // Its destructor may panic.
                    Some(_) => std::mem::forget(payload),
                }
            }
            if batch.ended == batch.parts {
                self.notify(&state);
            }
        }
        state
    }

    fn notify(&self, state: &State) {
        // Notifying is a system call, even if no thread waits.
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }
}

impl State {
    /// Claims a part of any batch, or of a batch and those inside it.
    fn claim(&mut self, of: Option<usize>) -> Option<Claimed> {
        let place = self
            .batches
            .iter()
            .position(|batch| batch.claimed < batch.parts && of.is_none_or(|of| self.is_inside(batch, of)))?;
        let batch = &mut self.batches[place];
        batch.claimed += 1;
        Some(Claimed { batch: batch.number, part: batch.claimed - 1, run: Arc::clone(&batch.run) })
    }

    fn is_inside(&self, batch: &Batch, outer: usize) -> bool {
        let around = |number| self.batches.iter().find(|batch| batch.number == number);
        let mut next = Some(batch);
        while let Some(batch) = next {
            if batch.number == outer {
                return true;
            }
            next = batch.inside.and_then(around);
        }
        false
    }
}
