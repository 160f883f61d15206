//! Which streams a launch must wait for, from what it reads and writes.

use std::ops::Range;

/// Whether bytes are read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Other readers may run at the same time.
    Read,
    /// Nobody else may.
    Write,
}

/// A stream, as far as hazards are concerned.
pub(crate) trait StreamId: Clone {
    /// A number that no other stream ever has.
    fn id(&self) -> u64;
}

/// The uses of one memory block that a later use on another stream may have to wait for.
///
/// For every byte this is the last write, and the reads since; the list keeps them by range. A use by stream `s` must
/// wait for an entry of another stream that overlaps it where one of the two writes. The wait is inserted then, not
/// when the entry was made, so work on one stream costs nothing.
///
/// An entry remembers the streams that have waited for it (for exactly its bytes: it is split where only a part was
/// waited for), so that many readers of one written block wait once each. That an entry's work has been queued by the
/// time another stream waits for it follows from the borrows: a conflicting launch can only start after the first has
/// returned.
///
/// A write replaces every entry under it, of whichever stream: who waits for the write waits for them too.
#[derive(Debug)]
pub(crate) struct Hazards<S> {
    uses: Vec<Use<S>>,
}

#[derive(Debug, Clone)]
struct Use<S> {
    range: Range<usize>,
    stream: S,
    access: Access,
    waited: Waited,
}

/// Streams that have waited, the last few of them. Forgetting one only costs another wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Waited {
    ids: [u64; 8],
    count: u8,
}

impl Waited {
    fn contains(&self, id: u64) -> bool {
        self.ids[..usize::from(self.count.min(8))].contains(&id)
    }

    fn insert(&mut self, id: u64) {
        self.ids[usize::from(self.count % 8)] = id;
        self.count = if self.count >= 15 { 8 } else { self.count + 1 };
    }
}

/// From this many entries on, those of one stream are merged although that may cost needless waits.
const MANY: usize = 32;

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

impl<S: StreamId> Hazards<S> {
    /// No uses yet.
    pub(crate) fn new() -> Self {
        Self { uses: Vec::new() }
    }

    /// Calls `wait` with every stream that a use of `range` on stream `id` must wait for, and with what it did, in no particular order,
    /// maybe several times. Changes nothing, so that a failing wait leaves the books right.
    pub(crate) fn conflicts<E>(
        &self,
        range: &Range<usize>,
        access: Access,
        id: u64,
        mut wait: impl FnMut(&S, Access) -> Result<(), E>,
    ) -> Result<(), E> {
        let conflicting = |entry: &&Use<S>| {
            !range.is_empty()
                && overlap(&entry.range, range)
                && entry.stream.id() != id
                && (access == Access::Write || entry.access == Access::Write)
                && !entry.waited.contains(id)
        };
        self.uses.iter().filter(conflicting).try_for_each(|entry| wait(&entry.stream, entry.access))
    }

    /// Records a use of `range` on `stream`, which has waited for its [`conflicts`](Self::conflicts).
    pub(crate) fn record(&mut self, range: Range<usize>, access: Access, stream: &S) {
        if range.is_empty() {
            return;
        }
        let id = stream.id();
        match access {
            Access::Write => self.carve(&range, |_| true, |_| None),
            Access::Read => {
                // A read that is already known needs no second entry: who waits for it (a write, which replaces it) waits
                // for all that has been queued by then.
                let known = |entry: &Use<S>| {
                    entry.access == Access::Read
                        && entry.stream.id() == id
                        && entry.range.start <= range.start
                        && range.end <= entry.range.end
                };
                self.mark_waited(&range, id);
                if self.uses.iter().any(known) {
                    return;
                }
                self.carve(&range, |entry| entry.access == Access::Read && entry.stream.id() == id, |_| None);
            }
        }
        self.push(Use { range, stream: stream.clone(), access, waited: Waited::default() });
        if self.uses.len() > MANY {
            self.merge_hulls(id);
        }
    }

    /// Forgets what is complete because the host has waited for a use of `range`: a completed read proves the writes
    /// under it complete, a completed write everything under it.
    pub(crate) fn completed(&mut self, range: &Range<usize>, access: Access) {
        self.carve(range, |entry| access == Access::Write || entry.access == Access::Write, |_| None);
    }

    /// Forgets streams that need no waiting for any more; called with each entry's stream.
    pub(crate) fn forget(&mut self, mut finished: impl FnMut(&S) -> bool) {
        self.uses.retain(|entry| !finished(&entry.stream));
    }

    /// Number of entries.
    pub(crate) fn len(&self) -> usize {
        self.uses.len()
    }

    /// Every entry's stream; a stream may come several times.
    pub(crate) fn streams(&self) -> impl Iterator<Item = &S> {
        self.uses.iter().map(|entry| &entry.stream)
    }

    /// Notes that stream `id` has waited for the other streams' writes under `range`.
    fn mark_waited(&mut self, range: &Range<usize>, id: u64) {
        let unmarked =
            |entry: &Use<S>| entry.access == Access::Write && entry.stream.id() != id && !entry.waited.contains(id);
        if self.uses.iter().any(|entry| overlap(&entry.range, range) && unmarked(entry)) {
            self.carve(range, unmarked, |mut entry| {
                entry.waited.insert(id);
                Some(entry)
            });
        }
    }

    /// Cuts the entries that `which` selects at the ends of `range`, and replaces the parts inside it.
    fn carve(
        &mut self,
        range: &Range<usize>,
        which: impl Fn(&Use<S>) -> bool,
        mut inside: impl FnMut(Use<S>) -> Option<Use<S>>,
    ) {
        let mut index = 0;
        let mut end = self.uses.len(); // what is pushed from here on is outside of `range`, or has been replaced
        while index < end {
            let entry = &self.uses[index];
            if !overlap(&entry.range, range) || !which(entry) {
                index += 1;
                continue;
            }
            // Swapping in another entry of the unseen part, so that pushed ones stay behind `end`.
            end -= 1;
            self.uses.swap(index, end);
            let entry = self.uses.swap_remove(end);
            let left = entry.range.start..entry.range.start.max(range.start);
            let right = entry.range.end.min(range.end)..entry.range.end;
            let middle = left.end..right.start;
            if !left.is_empty() {
                self.uses.push(Use { range: left, ..entry.clone() });
            }
            if !right.is_empty() {
                self.uses.push(Use { range: right, ..entry.clone() });
            }
            if let Some(middle) = inside(Use { range: middle, ..entry }) {
                self.uses.push(middle);
            }
        }
    }

    /// Adds an entry, joined to a neighbour that differs in nothing but its range.
    fn push(&mut self, mut new: Use<S>) {
        let touching = |entry: &Use<S>, new: &Use<S>| {
            entry.access == new.access
                && entry.stream.id() == new.stream.id()
                && entry.waited == new.waited
                && entry.range.start <= new.range.end
                && new.range.start <= entry.range.end
        };
        while let Some(index) = self.uses.iter().position(|entry| touching(entry, &new)) {
            let old = self.uses.swap_remove(index);
            new.range = old.range.start.min(new.range.start)..old.range.end.max(new.range.end);
        }
        self.uses.push(new);
    }

    /// Bounds the list: one entry for all reads of a stream and one for all its writes, over all between.
    ///
    /// An entry that is too wide causes needless waits and nothing worse. Who has waited for the parts is forgotten, since
    /// it need not have waited for all of them.
    fn merge_hulls(&mut self, id: u64) {
        for access in [Access::Read, Access::Write] {
            let same = |entry: &Use<S>| entry.access == access && entry.stream.id() == id;
            let Some(first) = self.uses.iter().find(|entry| same(entry)).cloned() else { continue };
            let mut hull = Use { waited: Waited::default(), ..first };
            self.uses.retain(|entry| {
                if same(entry) {
                    hull.range = hull.range.start.min(entry.range.start)..hull.range.end.max(entry.range.end);
                }
                !same(entry)
            });
            self.uses.push(hull);
        }
    }
}

#[cfg(test)]
mod tests;
