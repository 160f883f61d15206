//! The mutex of this crate.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// A mutex for a state that is consistent wherever a holder can panic. So the panic of one holder
/// is no reason for the next one to stop.
#[derive(Debug, Default)]
pub(crate) struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    pub(crate) const fn new(state: T) -> Self {
        Self(Mutex::new(state))
    }

    /// Blocks until no other thread holds it.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        #[cfg(debug_assertions)]
        watch::record(std::ptr::from_ref(self).addr());
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks, unless a thread holds it.
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(state) => Some(state),
            Err(TryLockError::Poisoned(state)) => Some(state.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Locks, unless a thread holds it until a point in time.
    pub(crate) fn lock_until(&self, until: Instant) -> Option<MutexGuard<'_, T>> {
        loop {
            let state = self.try_lock();
            if state.is_some() || Instant::now() >= until {
                return state;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The state, without a lock.
    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Releases a lock until another thread notifies, and takes it again.
pub(crate) fn wait<'a, T>(notified: &Condvar, state: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    notified.wait(state).unwrap_or_else(PoisonError::into_inner)
}

/// What a thread locks, for tests. Only debug builds list it.
pub(crate) mod watch {
    use std::cell::RefCell;
    use std::panic::Location;

    /// The address of a lock, and the place that takes it.
    type Taken = (usize, &'static Location<'static>);

    thread_local!(static TAKEN: RefCell<Option<Vec<Taken>>> = const { RefCell::new(None) });

    #[track_caller]
    #[cfg(debug_assertions)]
    pub(super) fn record(lock: usize) {
        let place = Location::caller();
        // A thread that is about to end may have no list any more.
        let _ = TAKEN.try_with(|taken| {
            if let Some(taken) = &mut *taken.borrow_mut() {
                taken.push((lock, place));
            }
        });
    }

    /// The locks that this thread takes in a call, in order.
    pub fn locks_in(run: impl FnOnce()) -> Vec<Taken> {
        TAKEN.set(Some(Vec::new()));
        run();
        TAKEN.take().unwrap_or_default()
    }
}
