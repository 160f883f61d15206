//! Who is told of a panic of device code.
//!
//! A device keeps one panic at a time, the first. The call that waits next takes it and makes room for another one. What has failed in between
//! has left nothing, so nobody knows whose work it was; but whoever waited for that work would find there what a failed loop has left.
//! So a panic that is taken is told:
//!
//! - to the thread that takes it;
//! - to each other thread that had launched something by then, when it waits next;
//! - to a thread that reads memory which such a thread has written and was not told of yet.
//!
//! To each thread once. A thread that has been told, and then launches or reads, has taken note. Where one thread does everything, a panic is
//! told once.
//!
//! Until the first panic of a device this costs a wait one load, and a launch a look at its thread's list of devices and at a word of each
//! block that it uses. Locks are taken where something is to be told, or might be.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak, atomic::AtomicU64};

use crate::error::{Error, Result};
use crate::order::hazard::Access;

/// The panics of one device that have been taken, and the threads that launch on it.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    /// How many have been taken.
    count: AtomicU32,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// What is told to those who learn of it later.
    last: Option<Error>,
    /// By number; those that have ended are gone.
    threads: HashMap<u32, Arc<Member>>,
}

/// A thread that has launched on a device, or was told of a panic there. Only that thread changes it.
#[derive(Debug)]
struct Member {
    /// Of the panics that were taken, the number that it need not be told: those before its first launch, and those that it was told.
    settled: AtomicU32,
    /// How many there were when it was told last.
    told: AtomicU32,
}

/// Has launched nothing.
const BYSTANDER: u32 = u32::MAX;

/// What the last launch that wrote a block of memory was: how many panics had been taken by then, and its thread. 0: there was none.
#[derive(Debug, Default)]
pub(crate) struct Written(AtomicU64);

/// Several threads have written a block: parts of it each.
const SEVERAL: u32 = 0;

fn pack(count: u32, thread: u32) -> u64 {
    ((u64::from(count) + 1) << 32) | u64::from(thread)
}

/// Counts below 2^32 - 1, of which there are enough.
fn unpack(written: u64) -> Option<(u32, u32)> {
    Some((u32::try_from((written >> 32).checked_sub(1)?).ok()?, written as u32))
}

/// This thread at one device.
struct Place {
    reports: Weak<Reports>,
    number: u32,
    member: Arc<Member>,
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(reports) = self.reports.upgrade() {
            reports.state().threads.remove(&self.number);
        }
    }
}

thread_local! {
    static PLACES: RefCell<Vec<Place>> = const { RefCell::new(Vec::new()) };
}

/// In the books of this thread, made where it has none yet. In the destructors of thread-locals there are none any more.
fn with_place<R>(reports: &Arc<Reports>, settled: u32, then: impl FnOnce(&Place) -> R) -> Option<R> {
    PLACES
        .try_with(|places| {
            let mut places = places.borrow_mut();
            let known = places.iter().position(|place| std::ptr::eq(place.reports.as_ptr(), Arc::as_ptr(reports)));
            let index = known.unwrap_or_else(|| {
                places.retain(|place| place.reports.strong_count() > 0); // of devices that are gone
                places.push(reports.enrol(settled));
                places.len() - 1
            });
            then(&places[index])
        })
        .ok()
}

impl Reports {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cold]
    fn enrol(self: &Arc<Self>, settled: u32) -> Place {
        static NEXT: AtomicU32 = AtomicU32::new(SEVERAL + 1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed).max(SEVERAL + 1);
        let mut state = self.state();
        let settled = settled.max(self.count.load(Ordering::Relaxed)); // no panic is being taken now
        let member = Arc::new(Member { settled: AtomicU32::new(settled), told: AtomicU32::new(0) });
        state.threads.insert(number, Arc::clone(&member));
        Place { reports: Arc::downgrade(self), number, member }
    }

    /// This thread launches something that uses these blocks. Before it does, so that nobody takes its panic earlier.
    #[inline]
    pub(crate) fn launches<'a>(self: &Arc<Self>, uses: impl Iterator<Item = (&'a Written, Access)>) {
        let now = self.count.load(Ordering::Acquire);
        with_place(self, now, |place| {
            let member = &place.member;
            if member.settled.load(Ordering::Relaxed) == BYSTANDER {
                let _no_panic_is_being_taken = self.state();
                member.settled.store(self.count.load(Ordering::Relaxed), Ordering::Relaxed);
            }
            // What it launches before it is told is as what it launched before: it may leave nothing too.
            let since = now.min(member.settled.load(Ordering::Relaxed));
            let this = pack(since, place.number);
            for (written, access) in uses {
                let before = written.0.load(Ordering::Relaxed);
                if before == this {
                    continue;
                }
                if now > 0 {
                    self.takes_over(place, written, before, now);
                }
                if access == Access::Write {
                    written.0.store(joined(before, since, place.number), Ordering::Relaxed);
                }
            }
        });
    }

    /// What it launches depends on what a thread has written that was not told: so it has to be told in its place.
    fn takes_over(&self, place: &Place, written: &Written, before: u64, now: u32) {
        let Some((since, alive)) = self.untold(written, before, now) else { return };
        if place.member.told.load(Ordering::Relaxed) < now {
            place.member.settled.fetch_min(since, Ordering::Relaxed);
        }
        if !alive {
            written.replace(before, 0);
        }
    }

    /// If a block was written before a panic was taken that its writer has not been told: how many had been taken when it was, and
    /// whether the writer will be told itself.
    fn untold(&self, written: &Written, before: u64, now: u32) -> Option<(u32, bool)> {
        let (since, thread) = unpack(before).filter(|&(since, _)| since < now)?;
        let settled = self.state().threads.get(&thread).map(|writer| writer.settled.load(Ordering::Relaxed));
        if settled.is_some_and(|settled| settled >= now) {
            written.replace(before, pack(now, thread)); // so that nobody asks again
            return None;
        }
        Some((since, settled.is_some()))
    }

    /// What a call tells that has waited, and then reads a block, if it does: a panic that was told to another thread.
    #[inline]
    pub(crate) fn check(self: &Arc<Self>, reads: Option<&Written>) -> Result<()> {
        let now = self.count.load(Ordering::Acquire);
        if now == 0 { Ok(()) } else { self.check_taken(reads, now) }
    }

    fn check_taken(self: &Arc<Self>, reads: Option<&Written>, now: u32) -> Result<()> {
        with_place(self, BYSTANDER, |place| {
            let (settled, told) = (&place.member.settled, place.member.told.load(Ordering::Relaxed));
            let read = reads.map(|written| (written, written.0.load(Ordering::Relaxed)));
            let untold = read.filter(|_| told < now).and_then(|(written, before)| self.untold(written, before, now));
            if settled.load(Ordering::Relaxed) >= now && untold.is_none() {
                return Ok(());
            }
            if let (Some((written, before)), Some((_, false))) = (read, untold) {
                written.replace(before, 0);
            }
            let state = self.state(); // once there is room
            place.member.note(self.count.load(Ordering::Relaxed));
            state.last.clone().map_or(Ok(()), Err)
        })
        .unwrap_or(Ok(()))
    }

    /// This thread takes a panic, and `makes_room` for another one: what it is told. Until there is room, what fails leaves nothing; so the count
    /// comes first, and nobody is told, or enters the books, before that.
    pub(crate) fn take(self: &Arc<Self>, error: Error, makes_room: impl FnOnce() -> Result<()>) -> Error {
        let mut state = self.state();
        state.last = Some(error.clone());
        let now = self.count.fetch_add(1, Ordering::Release) + 1;
        if let Err(failure) = makes_room() {
            return failure;
        }
        drop(state);
        with_place(self, BYSTANDER, |place| place.member.note(now));
        error
    }
}

impl Member {
    /// Has been told. Who has launched nothing has nothing to be told later either.
    fn note(&self, now: u32) {
        self.told.store(now, Ordering::Relaxed);
        if self.settled.load(Ordering::Relaxed) != BYSTANDER {
            self.settled.store(now, Ordering::Relaxed);
        }
    }
}

impl Written {
    /// What is copied is as what it was copied from.
    pub(crate) fn copy_from(&self, other: &Written) {
        self.0.store(other.0.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Unless the block has been written meanwhile.
    fn replace(&self, before: u64, after: u64) {
        let _ = self.0.compare_exchange(before, after, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// A block that was written as `before` says is written by a thread now. Another thread may have written another part, and the
/// older of the two decides.
fn joined(before: u64, now: u32, thread: u32) -> u64 {
    match unpack(before) {
        Some((since, other)) if other != thread => pack(since.min(now), SEVERAL),
        _ => pack(now, thread),
    }
}

#[cfg(test)]
mod tests;
