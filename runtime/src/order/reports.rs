//! Which threads get a panic of device code.
//!
//! A device keeps one panic at a time, the first. The next call that waits takes it and makes room
//! for another one. Work that fails in between leaves no record, so it is unknown which thread
//! launched it; but a thread that waits for this work would then read the unspecified results of a
//! failed loop. So when a panic is taken, it is reported:
//!
//! - to the thread that takes it;
//! - to each other thread that has launched work on the device by then, by its next call that
//!   waits;
//! - to a thread that reads memory written by a thread that has not got the report yet.
//!
//! The user's code may format the message of a panic, and may wait or launch while it does. So the
//! panic is taken first: the count is incremented and there is room for the next panic. Then the
//! user's code runs, without a lock. Only then the thread counts as one that has got the report. So
//! a wait of that code finds the panic, and returns it with [another text](Panic::error).
//!
//! Each thread gets the report once. If a thread launches or reads after its report, it has
//! accepted the failure. If one thread does all the work, a panic is reported once.
//!
//! Before the first panic of a device, this costs one load for a wait. A launch looks at its
//! thread's list of devices and at one word of each block that it uses. Locks are only taken when
//! there is, or may be, something to report.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, MutexGuard, Weak, atomic::AtomicU64};
use std::thread::{self, ThreadId};

use super::panic::Panic;
use crate::error::{Error, Result};
use crate::lock::Lock;
use crate::order::hazard::AccessMode;
use crate::order::sources::Sources;

/// The panics of one device that have been taken, and the threads that launch on it.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    /// Number of panics taken so far.
    count: AtomicU32,
    state: Lock<State>,
    /// The devices that it has copied data from.
    pub(super) sources: Sources,
}

#[derive(Debug, Default)]
struct State {
    /// The panic for the threads that get it later.
    last: Option<Panic>,
    /// The threads by number, without those that have ended.
    threads: HashMap<u32, Arc<Member>>,
}

/// A thread that has launched on a device or got a panic from it. Only that thread modifies its
/// entry, but for a panic that it has got from a source of the device.
#[derive(Debug)]
struct Member {
    thread: ThreadId,
    /// The number of taken panics that this thread need not get: those before its first launch, and
    /// those that it got.
    settled: AtomicU32,
    /// The number of taken panics when this thread last got one.
    told: AtomicU32,
}

/// The `settled` of a thread that has launched nothing.
const BYSTANDER: u32 = u32::MAX;

/// The last launch that wrote a block of memory: the number of panics taken by then, and its
/// thread. 0 means that there was none.
#[derive(Debug, Default)]
pub(crate) struct Written(AtomicU64);

/// The thread number of a block if several threads have written parts of it.
const SEVERAL: u32 = 0;

fn pack(count: u32, thread: u32) -> u64 {
    ((u64::from(count) + 1) << 32) | u64::from(thread)
}

/// Counts stay below 2^32 - 1 in practice.
fn unpack(written: u64) -> Option<(u32, u32)> {
    Some((u32::try_from((written >> 32).checked_sub(1)?).ok()?, written as u32))
}

/// This thread's entry for one device.
struct ThreadEntry {
    reports: Weak<Reports>,
    number: u32,
    member: Arc<Member>,
}

impl Drop for ThreadEntry {
    fn drop(&mut self) {
        if let Some(reports) = self.reports.upgrade() {
            reports.state().threads.remove(&self.number);
        }
    }
}

thread_local! {
    static PLACES: RefCell<Vec<ThreadEntry>> = const { RefCell::new(Vec::new()) };
}

/// Calls `then` with this thread's entry for the device, which is created if it does not exist. In
/// destructors of thread-locals the entries may be gone; then it gets `None`. `then` runs no code
/// of the user.
#[inline]
fn with_place<R>(reports: &Arc<Reports>, settled: u32, then: impl FnOnce(Option<&ThreadEntry>) -> R) -> R {
    let mut then = Some(then);
    let here = PLACES.try_with(|places| {
        let mut places = places.borrow_mut();
        let known = places.iter().position(|place| std::ptr::eq(place.reports.as_ptr(), Arc::as_ptr(reports)));
        let index = known.unwrap_or_else(|| {
            places.retain(|place| place.reports.strong_count() > 0); // removes those of dropped devices
            places.push(reports.enrol(settled));
            places.len() - 1
        });
        then.take().map(|then| then(Some(&places[index])))
    });
    match (here, then) {
        (Ok(Some(result)), _) => result,
        (_, Some(then)) => then(None),
        (_, None) => unreachable!("it has been called, so there is a result"),
    }
}

impl Reports {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    #[cold]
    fn enrol(self: &Arc<Self>, settled: u32) -> ThreadEntry {
        static NEXT: AtomicU32 = AtomicU32::new(SEVERAL + 1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed).max(SEVERAL + 1);
        let mut state = self.state();
        let settled = settled.max(self.count.load(Ordering::Relaxed)); // no panic is being taken now
        let thread = thread::current().id();
        let member = Arc::new(Member { thread, settled: AtomicU32::new(settled), told: AtomicU32::new(0) });
        state.threads.insert(number, Arc::clone(&member));
        ThreadEntry { reports: Arc::downgrade(self), number, member }
    }

    /// Records that this thread launches work that uses these blocks. To be called before the
    /// launch, so that no thread takes its panic earlier.
    #[inline]
    pub(crate) fn launches<'a>(self: &Arc<Self>, uses: impl Iterator<Item = (&'a Written, AccessMode)>) {
        let now = self.count.load(Ordering::Acquire);
        with_place(self, now, |place| {
            let Some(place) = place else {
                // This thread gets no report later. So whoever reads this gets those of the panics
                // from now on.
                let written = uses.filter(|(_, access)| *access == AccessMode::Write);
                return written.for_each(|(written, _)| written.update(|before| joined(before, now, SEVERAL)));
            };
            let member = &place.member;
            if member.settled.load(Ordering::Relaxed) == BYSTANDER {
                let _no_panic_is_being_taken = self.state();
                member.settled.store(self.count.load(Ordering::Relaxed), Ordering::Relaxed);
            }
            // Work that the thread launches before it gets the report counts as launched before the
            // panic: it may leave no record either.
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
                if access == AccessMode::Write {
                    written.update(|before| joined(before, since, place.number));
                }
            }
        });
    }

    /// If this thread's launch depends on data of a thread that has not got the report, this thread
    /// must get it, too.
    fn takes_over(&self, place: &ThreadEntry, written: &Written, before: u64, now: u32) {
        let Some((since, alive)) = self.untold(written, before, now) else { return };
        if place.member.told.load(Ordering::Relaxed) < now {
            place.member.settled.fetch_min(since, Ordering::Relaxed);
        }
        if !alive {
            written.replace(before, 0);
        }
    }

    /// If the writer of a block has not got a panic that was taken after the write: the number of
    /// panics taken at the write, and whether the writer will still get the report.
    fn untold(&self, written: &Written, before: u64, now: u32) -> Option<(u32, bool)> {
        let (since, thread) = unpack(before).filter(|&(since, _)| since < now)?;
        let settled = self.state().threads.get(&thread).map(|writer| writer.settled.load(Ordering::Relaxed));
        if settled.is_some_and(|settled| settled >= now) {
            written.replace(before, pack(now, thread)); // so that the next lookup ends earlier
            return None;
        }
        Some((since, settled.is_some()))
    }

    /// The report for a call that has waited, and then perhaps reads a block: a panic that another
    /// thread has taken.
    #[inline]
    pub(crate) fn check(self: &Arc<Self>, reads: Option<&Written>) -> Result<()> {
        let now = self.count.load(Ordering::Acquire);
        if now == 0 { Ok(()) } else { self.check_taken(reads, now) }
    }

    fn check_taken(self: &Arc<Self>, reads: Option<&Written>, now: u32) -> Result<()> {
        with_place(self, BYSTANDER, |place| {
            let member = place.map(|place| &*place.member);
            let (settled, told) = member
                .map_or((BYSTANDER, 0), |of| (of.settled.load(Ordering::Relaxed), of.told.load(Ordering::Relaxed)));
            let read = reads.map(|written| (written, written.0.load(Ordering::Relaxed)));
            let untold = read.filter(|_| told < now).and_then(|(written, before)| self.untold(written, before, now));
            if settled >= now && untold.is_none() {
                return Ok(());
            }
            if let (Some((written, before)), Some((_, false))) = (read, untold) {
                written.replace(before, 0);
            }
            let state = self.state(); // waits until there is room for another panic
            if let Some(member) = member {
                member.note(self.count.load(Ordering::Relaxed));
            }
            state.last.as_ref().map_or(Ok(()), |panic| Err(panic.error()))
        })
    }

    /// This thread takes a panic, and calls `makes_room` for another one. Until there is room,
    /// failing work leaves no record. So the count is incremented first, and the lock keeps other
    /// threads from getting a report or an entry until there is room. This thread counts as one
    /// that has got the report when the result is [told](Taken::tell).
    pub(crate) fn take(self: &Arc<Self>, panic: Panic, makes_room: impl FnOnce() -> Result<()>) -> Result<Taken> {
        let mut state = self.state();
        state.last = Some(panic.clone());
        let now = self.count.fetch_add(1, Ordering::Release) + 1;
        self.sources.leave(&panic, Some(thread::current().id()));
        makes_room()?;
        drop(state);
        Ok(Taken { panic, now, reports: Arc::clone(self) })
    }

    /// This thread takes a panic that another device has left, and that the thread `told` has got
    /// there.
    pub(super) fn accept(self: &Arc<Self>, panic: Panic, told: Option<ThreadId>) -> Error {
        let mut state = self.state();
        state.last = Some(panic.clone());
        let now = self.count.fetch_add(1, Ordering::Release) + 1;
        state.threads.values().filter(|member| Some(member.thread) == told).for_each(|member| member.knows(now));
        drop(state);
        self.note(now);
        panic.error()
    }

    fn note(self: &Arc<Self>, now: u32) {
        with_place(self, BYSTANDER, |place| {
            if let Some(place) = place {
                place.member.note(now);
            }
        });
    }
}

/// A panic that this thread has taken. If it is dropped without [`tell`](Self::tell), the thread
/// gets it from its next wait.
#[derive(Debug)]
#[must_use]
pub(crate) struct Taken {
    panic: Panic,
    now: u32,
    reports: Arc<Reports>,
}

impl Taken {
    /// The error for this thread, which has got the report now. `message` is code of the user. No
    /// lock is held, and what it waits for finds that this thread has not got the report yet.
    pub(crate) fn tell(self, message: impl FnOnce() -> Option<String>) -> Error {
        if let Some(message) = message() {
            self.panic.format(message);
        }
        self.reports.note(self.now);
        self.panic.error()
    }
}

impl Member {
    /// Records that the thread has got the report elsewhere, unless it must still get an earlier
    /// one.
    fn knows(&self, now: u32) {
        if self.settled.compare_exchange(now - 1, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            self.told.fetch_max(now, Ordering::Relaxed);
        }
    }

    /// Records that the thread got the report. The state of a thread that has launched nothing does
    /// not change. A thread may have got a later report first, from code of the user that has run
    /// for this one.
    fn note(&self, now: u32) {
        self.told.fetch_max(now, Ordering::Relaxed);
        self.settled.fetch_max(now, Ordering::Relaxed); // the largest number is that of a bystander
    }
}

impl Written {
    /// What was copied from a block has the same writer; beside another writer of this block, the
    /// older of the two writes counts.
    pub(crate) fn copy_from(&self, other: &Written) {
        let there = other.0.load(Ordering::Relaxed);
        self.update(|here| match (unpack(here), unpack(there)) {
            (_, None) => here,
            (None, Some(_)) => there,
            (Some((since, thread)), Some((now, other))) => {
                pack(since.min(now), if thread == other { thread } else { SEVERAL })
            }
        });
    }

    /// Changes the value. Several threads may write parts of a block at the same time, and none of
    /// them must be forgotten.
    fn update(&self, change: impl Fn(u64) -> u64) {
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |before| Some(change(before)));
    }

    /// Replaces the value, unless the block has been written in the meantime.
    fn replace(&self, before: u64, after: u64) {
        let _ = self.0.compare_exchange(before, after, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// The new value of a block with the value `before` that a thread now writes. If another thread has
/// written another part, the older of the two writes counts.
fn joined(before: u64, now: u32, thread: u32) -> u64 {
    match unpack(before) {
        Some((since, other)) if other != thread => pack(since.min(now), SEVERAL),
        _ => pack(now, thread),
    }
}

#[cfg(test)]
mod tests;
