//! The pool of streams for parallel groups.

use std::sync::MutexGuard;

use super::driver::RawStream;
use crate::lock::Lock;

/// Creates, queries and destroys streams. This is all that a pool needs from a device.
pub(crate) trait StreamSource {
    /// A cheap handle.
    type Stream: Clone;
    /// The error of creating or querying a stream.
    type Error;

    /// Creates a stream.
    fn create(&self) -> Result<Self::Stream, Self::Error>;
    /// Returns whether all work of a stream is complete. Must not block.
    fn is_idle(&self, stream: &Self::Stream) -> Result<bool, Self::Error>;
    /// Destroys a stream that no group holds. Work in flight continues.
    fn destroy(&self, stream: Self::Stream);
}

/// Counters of a stream pool since its device was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStats {
    /// Number of streams created so far.
    pub created: u64,
    /// Number of streams that no group currently holds.
    pub idle: usize,
    /// Number of streams that at least one group currently holds.
    pub in_use: usize,
    /// Maximum number of streams that were in use at the same time.
    pub high_water: usize,
    /// Number of times that a group acquired a stream.
    pub acquired: u64,
    /// Number of times that a group got a stream with other work still queued on it, because the
    /// pool had reached its maximum size. This is correct, but less concurrent.
    pub shared: u64,
    /// Number of times that a group got a stream while more of the pool's streams of its priority
    /// were in use than there are hardware queues. There are 8 queues, or the value of
    /// `CUDA_DEVICE_MAX_CONNECTIONS` (1 to 32), which the driver reads when the first device is
    /// opened. Streams that share a queue may wait for each other. This is correct, but less
    /// concurrent.
    pub beyond_queues: u64,
}

impl PoolStats {
    /// The sums of the counters of two pools; for `high_water` this is an upper bound.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            created: self.created + other.created,
            idle: self.idle + other.idle,
            in_use: self.in_use + other.in_use,
            high_water: self.high_water + other.high_water,
            acquired: self.acquired + other.acquired,
            shared: self.shared + other.shared,
            beyond_queues: self.beyond_queues + other.beyond_queues,
        }
    }
}

/// The streams of one device and priority.
///
/// A group gets, in this order of preference:
/// 1. a free stream whose last groups were forked from the same parent. The parent has waited for
///    them, and the new group waits for the parent, so it loses nothing if their work is not
///    complete. This takes no query, and a program that forks many times from one stream needs few
///    streams;
/// 2. the free stream that was released longest ago, if its work is complete. This takes one query.
///    Only that stream is queried, because its work is the most likely to be complete;
/// 3. a new stream, if the pool has fewer streams than `cap`;
/// 4. the stream that was acquired longest ago, even if another group holds it. `shared` counts
///    this.
///
/// Sharing is correct because a stream keeps the order of the calls made on it, and a group waits
/// only for work that was queued before. So no wait refers to later work.
///
/// The lock is held during the query or the creation, so that two groups cannot both create the
/// last stream.
#[derive(Debug)]
pub(crate) struct StreamPool<S> {
    cap: usize,
    queues: usize,
    state: Lock<State<S>>,
}

#[derive(Debug)]
struct State<S> {
    slots: Vec<PoolEntry<S>>,
    next_id: u64,
    clock: u64,
    in_use: usize,
    stats: PoolStats,
}

#[derive(Debug)]
struct PoolEntry<S> {
    id: u64,
    stream: S,
    /// The parent of all groups whose work may be incomplete, if they have the same. If a stream is
    /// destroyed, another one may get its name; then a group may wait for work of others.
    parent: Option<RawStream>,
    holders: u32,
    handed_out: u64,
    given_back: u64,
}

/// A stream that a group holds. It must be returned to its pool with [`StreamPool::release`].
#[derive(Debug)]
#[must_use]
pub(crate) struct Held<S> {
    id: u64,
    pub(crate) stream: S,
}

impl<S> State<S> {
    fn release(&mut self, held: Held<S>) {
        self.clock += 1;
        // Slots come in the order of their numbers.
        if let Ok(place) = self.slots.binary_search_by_key(&held.id, |slot| slot.id) {
            let slot = &mut self.slots[place];
            slot.holders -= 1;
            slot.given_back = self.clock;
            self.in_use -= usize::from(slot.holders == 0);
        }
    }
}

impl<S: Clone> StreamPool<S> {
    /// An empty pool that grows to at most `cap` streams (at least one), on a device with `queues`
    /// hardware queues.
    pub(crate) fn new(cap: usize, queues: usize) -> Self {
        let cap = cap.max(1);
        let state = State { slots: Vec::new(), next_id: 0, clock: 0, in_use: 0, stats: PoolStats::default() };
        Self { cap, queues, state: Lock::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, State<S>> {
        // The state is consistent wherever a source could panic.
        self.state.lock()
    }

    /// Acquires a stream. Nothing waits for its work.
    pub(crate) fn acquire<Source: StreamSource<Stream = S>>(&self, source: &Source) -> Result<Held<S>, Source::Error> {
        self.acquire_one(&mut self.lock(), source, None)
    }

    /// Acquires a stream for each group that is forked from `parent`, which waits for the groups
    /// before their streams are released. All are there, or none.
    pub(crate) fn acquire_all<Source: StreamSource<Stream = S>, const G: usize>(
        &self,
        source: &Source,
        parent: RawStream,
    ) -> Result<[Option<Held<S>>; G], Source::Error> {
        let (mut state, mut all) = (self.lock(), [const { None }; G]);
        for place in 0..G {
            match self.acquire_one(&mut state, source, Some(parent)) {
                Ok(held) => all[place] = Some(held),
                Err(error) => {
                    all.into_iter().flatten().for_each(|held| state.release(held));
                    return Err(error);
                }
            }
        }
        Ok(all)
    }

    fn acquire_one<Source: StreamSource<Stream = S>>(
        &self,
        state: &mut State<S>,
        source: &Source,
        parent: Option<RawStream>,
    ) -> Result<Held<S>, Source::Error> {
        let free = state.slots.iter().enumerate().filter(|(_, slot)| slot.holders == 0);
        let ready = match free.clone().find(|(_, slot)| parent.is_some() && slot.parent == parent) {
            Some((index, _)) => Some(index),
            None => match free.min_by_key(|(_, slot)| slot.given_back) {
                Some((index, slot)) if source.is_idle(&slot.stream)? => Some(index),
                _ => None,
            },
        };
        let complete = ready.is_some();
        let index = match ready {
            Some(index) => index,
            None if state.slots.len() < self.cap => {
                let stream = source.create()?;
                state.stats.created += 1;
                let id = state.next_id;
                state.next_id += 1;
                state.slots.push(PoolEntry { id, stream, parent, holders: 0, handed_out: 0, given_back: 0 });
                state.slots.len() - 1
            }
            None => {
                state.stats.shared += 1;
                (0..state.slots.len()).min_by_key(|&index| state.slots[index].handed_out).unwrap_or(0)
            }
        };
        state.clock += 1;
        state.stats.acquired += 1;
        let slot = &mut state.slots[index];
        // Of a stream with work of others, nobody waits for all.
        slot.parent = parent.filter(|_| complete || slot.parent == parent);
        slot.handed_out = state.clock;
        slot.holders += 1;
        if slot.holders == 1 {
            state.in_use += 1;
            state.stats.high_water = state.stats.high_water.max(state.in_use);
        }
        state.stats.beyond_queues += u64::from(state.in_use > self.queues);
        Ok(Held { id: slot.id, stream: slot.stream.clone() })
    }

    /// Returns streams to the pool. Their work need not be complete.
    pub(crate) fn release(&self, held: impl IntoIterator<Item = Held<S>>) {
        let mut state = self.lock();
        held.into_iter().for_each(|held| state.release(held));
    }

    /// Destroys the streams that no group holds.
    pub(crate) fn trim<Source: StreamSource<Stream = S>>(&self, source: &Source) {
        let state = &mut *self.lock();
        for index in (0..state.slots.len()).rev() {
            if state.slots[index].holders == 0 {
                source.destroy(state.slots.remove(index).stream);
            }
        }
    }

    /// The current counters.
    pub(crate) fn stats(&self) -> PoolStats {
        let state = self.lock();
        PoolStats { idle: state.slots.len() - state.in_use, in_use: state.in_use, ..state.stats }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::collections::{HashMap, HashSet};
    use std::ptr;

    use super::*;

    const QUEUES: usize = 8;

    /// Streams are numbers; those in `busy` have work in flight.
    #[derive(Default)]
    struct Fake {
        made: Cell<u32>,
        queries: Cell<u32>,
        busy: RefCell<HashSet<u32>>,
        alive: RefCell<HashSet<u32>>,
        fail: Cell<bool>,
    }

    impl StreamSource for Fake {
        type Stream = u32;
        type Error = &'static str;

        fn create(&self) -> Result<u32, Self::Error> {
            if self.fail.get() {
                return Err("no more streams");
            }
            self.made.set(self.made.get() + 1);
            self.alive.borrow_mut().insert(self.made.get());
            Ok(self.made.get())
        }

        fn is_idle(&self, stream: &u32) -> Result<bool, Self::Error> {
            assert!(self.alive.borrow().contains(stream), "queried a destroyed stream");
            self.queries.set(self.queries.get() + 1);
            if self.fail.get() { Err("device lost") } else { Ok(!self.busy.borrow().contains(stream)) }
        }

        fn destroy(&self, stream: u32) {
            assert!(self.alive.borrow_mut().remove(&stream), "destroyed twice");
        }
    }

    fn acquire(pool: &StreamPool<u32>, fake: &Fake, parent: Option<RawStream>) -> Result<Held<u32>, &'static str> {
        match parent {
            Some(parent) => pool.acquire_all::<_, 1>(fake, parent).map(|[held]| held.unwrap()),
            None => pool.acquire(fake),
        }
    }

    #[test]
    fn a_fork_has_all_of_its_streams_or_none() {
        let (fake, pool) = (Fake::default(), StreamPool::new(4, QUEUES));
        let parent = RawStream(ptr::without_provenance_mut(1));
        let all = pool.acquire_all::<_, 2>(&fake, parent).unwrap();
        assert_eq!(all.each_ref().map(|held| held.as_ref().map(|held| held.stream)), [Some(1), Some(2)]);
        pool.release(all.into_iter().flatten());
        fake.fail.set(true);
        assert!(pool.acquire_all::<_, 3>(&fake, parent).is_err(), "the third one is new");
        assert_eq!((pool.stats().idle, pool.stats().in_use), (2, 0));
    }

    #[test]
    fn idle_streams_are_used_again_before_new_ones() {
        let (fake, pool) = (Fake::default(), StreamPool::new(4, QUEUES));
        for _ in 0..10 {
            let (a, b) = (pool.acquire(&fake).unwrap(), pool.acquire(&fake).unwrap());
            assert_ne!(a.stream, b.stream);
            pool.release([a]);
            pool.release([b]);
        }
        let expected = PoolStats { created: 2, idle: 2, high_water: 2, acquired: 20, ..PoolStats::default() };
        assert_eq!(pool.stats(), expected);
    }

    #[test]
    fn busy_streams_make_the_pool_grow_to_its_cap_and_then_share_the_oldest() {
        let (fake, pool) = (Fake::default(), StreamPool::new(3, QUEUES));
        let mut given = Vec::new();
        for _ in 0..7 {
            let held = pool.acquire(&fake).unwrap();
            fake.busy.borrow_mut().insert(held.stream);
            given.push(held.stream);
            pool.release([held]);
        }
        assert_eq!(given, [1, 2, 3, 1, 2, 3, 1]);
        assert_eq!((pool.stats().created, pool.stats().shared), (3, 4));
        fake.busy.borrow_mut().remove(&2);
        let held = pool.acquire(&fake).unwrap();
        assert_eq!(held.stream, 2, "given back longest ago, and complete");
        pool.release([held]);
    }

    #[test]
    fn held_streams_are_shared_only_at_the_cap() {
        let (fake, pool) = (Fake::default(), StreamPool::new(2, QUEUES));
        let held: Vec<_> = (0..5).map(|_| pool.acquire(&fake).unwrap()).collect();
        assert_eq!(held.iter().map(|held| held.stream).collect::<Vec<_>>(), [1, 2, 1, 2, 1]);
        let expected =
            PoolStats { created: 2, in_use: 2, high_water: 2, acquired: 5, shared: 3, ..PoolStats::default() };
        assert_eq!(pool.stats(), expected);
        held.into_iter().for_each(|held| pool.release([held]));
        assert_eq!((pool.stats().in_use, pool.stats().idle), (0, 2));
    }

    #[test]
    fn groups_beyond_the_queues_are_counted() {
        let (fake, pool) = (Fake::default(), StreamPool::new(10, 4));
        for round in 1..=3 {
            let held: Vec<_> = (0..6).map(|_| pool.acquire(&fake).unwrap()).collect();
            assert_eq!(pool.stats().beyond_queues, 2 * round);
            held.into_iter().for_each(|held| pool.release([held]));
        }
    }

    /// What a parent has forked and joined before comes before what it forks now, so its streams
    /// need not be at rest.
    #[test]
    fn streams_go_back_to_the_parent_of_their_work() {
        let (fake, pool) = (Fake::default(), StreamPool::new(3, QUEUES));
        let [one, two] = [1, 2].map(|parent| Some(RawStream(ptr::without_provenance_mut(parent))));
        let mut run = |parent| {
            let held = acquire(&pool, &fake, parent).unwrap();
            fake.busy.borrow_mut().insert(held.stream);
            let stream = held.stream;
            pool.release([held]);
            stream
        };
        assert_eq!([one, one, two, one, two, two].map(&mut run), [1, 1, 2, 1, 2, 2]);
        assert_eq!(fake.queries.get(), 1, "for the second parent's first group");
        // Behind the work of both, a parent waits for its own only.
        let (a, b, c) = (run(None), acquire(&pool, &fake, one).unwrap(), acquire(&pool, &fake, one).unwrap());
        assert_eq!((a, b.stream, c.stream, pool.stats().shared), (3, 1, 2, 1));
        pool.release([b]);
        pool.release([c]);
        let queries = fake.queries.get();
        let held = acquire(&pool, &fake, two).unwrap();
        assert_eq!(fake.queries.get() - queries, 1, "nobody has waited for all of it");
        pool.release([held]);
    }

    #[test]
    fn the_stream_given_back_longest_ago_is_asked() {
        let (fake, pool) = (Fake::default(), StreamPool::new(3, QUEUES));
        let (a, b) = (pool.acquire(&fake).unwrap(), pool.acquire(&fake).unwrap());
        let first = b.stream;
        fake.busy.borrow_mut().insert(a.stream);
        pool.release([b]);
        pool.release([a]);
        let held = pool.acquire(&fake).unwrap();
        assert_eq!((held.stream, pool.stats().created), (first, 2));
        pool.release([held]);
    }

    #[test]
    fn an_acquire_asks_at_most_once() {
        let (fake, pool) = (Fake::default(), StreamPool::new(8, QUEUES));
        let held: Vec<_> = (0..8).map(|_| pool.acquire(&fake).unwrap()).collect();
        held.into_iter().for_each(|held| {
            fake.busy.borrow_mut().insert(held.stream);
            pool.release([held]);
        });
        let before = fake.queries.get();
        let held = pool.acquire(&fake).unwrap();
        assert_eq!(fake.queries.get() - before, 1);
        pool.release([held]);
    }

    #[test]
    fn failures_leave_the_pool_as_it_was() {
        let (fake, pool) = (Fake::default(), StreamPool::new(2, QUEUES));
        fake.fail.set(true);
        assert!(pool.acquire(&fake).is_err());
        assert_eq!(pool.stats(), PoolStats::default());
        fake.fail.set(false);
        let held = pool.acquire(&fake).unwrap();
        pool.release([held]);
        fake.fail.set(true);
        assert!(pool.acquire(&fake).is_err());
        assert_eq!((pool.stats().acquired, pool.stats().in_use), (1, 0));
    }

    #[test]
    fn trim_destroys_only_what_nobody_holds() {
        let (fake, pool) = (Fake::default(), StreamPool::new(4, QUEUES));
        let (a, b) = (pool.acquire(&fake).unwrap(), pool.acquire(&fake).unwrap());
        pool.release([a]);
        pool.trim(&fake);
        assert_eq!(*fake.alive.borrow(), HashSet::from([b.stream]));
        pool.release([b]);
        pool.trim(&fake);
        assert!(fake.alive.borrow().is_empty());
        assert_eq!((pool.stats().idle, pool.stats().created), (0, 2));
    }

    /// Compares random use with a simple model: the number of holders, and the cap.
    #[test]
    fn random_use_keeps_the_books() {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = move |below: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % below
        };
        for cap in [1, 2, 5, 32] {
            let (fake, pool) = (Fake::default(), StreamPool::new(cap, QUEUES));
            let mut held: Vec<Held<u32>> = Vec::new();
            // The parents of what may be incomplete on each stream.
            let mut work: HashMap<u32, Vec<Option<RawStream>>> = HashMap::new();
            for _ in 0..20_000 {
                match next(10) {
                    0..5 if held.len() < 3 * cap => {
                        let parent = [None, Some(1), Some(2)][next(3) as usize];
                        let parent = parent.map(|name| RawStream(ptr::without_provenance_mut(name)));
                        let before = pool.stats();
                        let new = acquire(&pool, &fake, parent).unwrap();
                        let stats = pool.stats();
                        let of = work.entry(new.stream).or_default();
                        if fake.busy.borrow().contains(&new.stream) && before.shared == stats.shared {
                            assert!(parent.is_some() && of.iter().all(|other| *other == parent), "work of others");
                        } else if before.shared == stats.shared {
                            of.clear();
                        }
                        of.push(parent);
                        if held.iter().any(|other| other.stream == new.stream) {
                            assert_eq!(stats.idle + stats.in_use, cap, "shared below the cap");
                        }
                        held.push(new);
                    }
                    5..9 if !held.is_empty() => {
                        let index = next(held.len() as u64) as usize;
                        pool.release([held.swap_remove(index)]);
                    }
                    9 => {
                        let stream = 1 + next(u64::from(fake.made.get().max(1))) as u32;
                        if !fake.busy.borrow_mut().remove(&stream) {
                            fake.busy.borrow_mut().insert(stream);
                        }
                        if next(50) == 0 {
                            pool.trim(&fake);
                        }
                    }
                    _ => {}
                }
                let distinct: HashSet<u32> = held.iter().map(|held| held.stream).collect();
                let stats = pool.stats();
                assert_eq!(stats.in_use, distinct.len());
                assert!(stats.in_use + stats.idle <= cap && stats.high_water >= stats.in_use);
                assert_eq!(fake.alive.borrow().len(), stats.in_use + stats.idle);
            }
        }
    }
}
