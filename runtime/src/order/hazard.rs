//! Hazards: which streams a launch must wait for, given what it reads and writes.

use std::ops::Range;

/// Whether bytes are read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessMode {
    /// Other readers may run at the same time.
    Read,
    /// No other use may run at the same time.
    Write,
}

/// The bytes of a use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) bytes: Range<usize>,
    /// The use has only some of them: those of a part of a grid. Work of other threads may use the
    /// others at the same time.
    pub(crate) gaps: bool,
}

impl From<Range<usize>> for Extent {
    /// All bytes of a range.
    fn from(bytes: Range<usize>) -> Self {
        Self { bytes, gaps: false }
    }
}

/// The identity of a stream.
pub(crate) trait StreamId: Clone {
    /// A number that no other stream ever has.
    fn id(&self) -> u64;
}

/// The uses of one memory block that a later use on another stream may have to wait for.
///
/// For each byte, these are the last write and the reads since then; the list keeps them by range.
/// A use on stream `s` must wait for an overlapping entry of another stream if one of the two
/// writes. The wait is inserted at that time, not when the entry is created, so work on a single
/// stream costs nothing.
///
/// An entry remembers the streams that have waited for it, so that each of many readers of a
/// written block waits only once. They have waited for exactly the entry's bytes: an entry is split
/// if a stream waits for only a part of it. When another stream waits for an entry, the entry's
/// work has been queued. This follows from the borrows: a conflicting launch can only start after
/// the first one has returned.
///
/// A write replaces all entries in its range, of all streams, because a wait for the write is also
/// a wait for them. Uses with gaps are different: an entry in their range may be of another thread
/// that has not queued its work yet, and that uses only bytes in the gaps. They wait for it, which
/// costs time, but they neither replace it nor count as having waited. The list still has the entry
/// when its own bytes are used.
#[derive(Debug)]
pub(crate) struct Hazards<S> {
    uses: Vec<Entry<S>>,
}

#[derive(Debug, Clone)]
struct Entry<S> {
    range: Range<usize>,
    stream: S,
    access: AccessMode,
    waited: Waited,
}

/// The most recent streams that have waited. Forgetting one only costs another wait.
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

/// From this many entries on, the entries of one stream are merged, although this may cause
/// unnecessary waits.
const MANY: usize = 32;

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

impl<S: StreamId> Hazards<S> {
    /// No uses yet.
    pub(crate) fn new() -> Self {
        Self { uses: Vec::new() }
    }

    /// Calls `wait` with each stream that a use of `range` on stream `id` must wait for, and with
    /// the access of that stream. The order is unspecified, and a stream may occur several times.
    /// This does not modify the list, so the list is still correct if a wait fails.
    pub(crate) fn conflicts<E>(
        &self,
        range: &Range<usize>,
        access: AccessMode,
        id: u64,
        mut wait: impl FnMut(&S, AccessMode) -> Result<(), E>,
    ) -> Result<(), E> {
        let conflicting = |entry: &&Entry<S>| {
            !range.is_empty()
                && overlap(&entry.range, range)
                && entry.stream.id() != id
                && (access == AccessMode::Write || entry.access == AccessMode::Write)
                && !entry.waited.contains(id)
        };
        self.uses.iter().filter(conflicting).try_for_each(|entry| wait(&entry.stream, entry.access))
    }

    /// Whether the only use is the same one, and no stream has waited for it: then another one has
    /// no conflicts, and changes nothing. Most launches repeat the one before.
    #[inline]
    pub(crate) fn is_repeated(&self, range: &Range<usize>, access: AccessMode, id: u64) -> bool {
        matches!(self.uses.as_slice(), [only] if only.stream.id() == id
            && only.range == *range
            && only.access == access
            && only.waited.count == 0)
    }

    /// Records a use of `range` on `stream`, which has waited for its
    /// [`conflicts`](Self::conflicts).
    pub(crate) fn record(&mut self, extent: Extent, access: AccessMode, stream: &S) {
        let Extent { bytes: range, gaps } = extent;
        if range.is_empty() {
            return;
        }
        let id = stream.id();
        match access {
            AccessMode::Write => self.carve(&range, |entry| !gaps || entry.stream.id() == id, |_| None),
            AccessMode::Read => {
                // A read that the list already contains needs no second entry: only a write waits
                // for it, and replaces it. That wait covers everything that has been queued by
                // then.
                let known = |entry: &Entry<S>| {
                    entry.access == AccessMode::Read
                        && entry.stream.id() == id
                        && entry.range.start <= range.start
                        && range.end <= entry.range.end
                };
                if !gaps {
                    self.mark_waited(&range, id);
                }
                if self.uses.iter().any(known) {
                    return;
                }
                self.carve(&range, |entry| entry.access == AccessMode::Read && entry.stream.id() == id, |_| None);
            }
        }
        self.push(Entry { range, stream: stream.clone(), access, waited: Waited::default() });
        if self.uses.len() > MANY {
            self.merge_hulls(id);
        }
    }

    /// Forgets the uses that are complete because the host has waited for a use of `range`. If a
    /// read is complete, the writes in its range are complete; if a write is complete, all uses in
    /// its range are complete. After a use with gaps, nothing is known.
    pub(crate) fn completed(&mut self, extent: &Extent, access: AccessMode) {
        if !extent.gaps {
            self.carve(
                &extent.bytes,
                |entry| access == AccessMode::Write || entry.access == AccessMode::Write,
                |_| None,
            );
        }
    }

    /// Removes the entries for whose stream `finished` returns true: no use needs to wait for them
    /// any more.
    pub(crate) fn forget(&mut self, mut finished: impl FnMut(&S) -> bool) {
        self.uses.retain(|entry| !finished(&entry.stream));
    }

    /// Number of entries.
    pub(crate) fn len(&self) -> usize {
        self.uses.len()
    }

    /// The stream of each entry; a stream may occur several times.
    pub(crate) fn streams(&self) -> impl Iterator<Item = &S> {
        self.uses.iter().map(|entry| &entry.stream)
    }

    /// Records that stream `id` has waited for the other streams' writes in `range`.
    fn mark_waited(&mut self, range: &Range<usize>, id: u64) {
        let unmarked = |entry: &Entry<S>| {
            entry.access == AccessMode::Write && entry.stream.id() != id && !entry.waited.contains(id)
        };
        if self.uses.iter().any(|entry| overlap(&entry.range, range) && unmarked(entry)) {
            self.carve(range, unmarked, |mut entry| {
                entry.waited.insert(id);
                Some(entry)
            });
        }
    }

    /// Splits the entries that `which` selects at the ends of `range`, and replaces the parts
    /// inside it.
    fn carve(
        &mut self,
        range: &Range<usize>,
        which: impl Fn(&Entry<S>) -> bool,
        mut inside: impl FnMut(Entry<S>) -> Option<Entry<S>>,
    ) {
        let mut index = 0;
        let mut end = self.uses.len(); // entries pushed from here on are outside of `range`, or already replaced
        while index < end {
            let entry = &self.uses[index];
            if !overlap(&entry.range, range) || !which(entry) {
                index += 1;
                continue;
            }
            // Swap in another unvisited entry, so that pushed entries stay at indexes from `end`
            // on.
            end -= 1;
            self.uses.swap(index, end);
            let entry = self.uses.swap_remove(end);
            let left = entry.range.start..entry.range.start.max(range.start);
            let right = entry.range.end.min(range.end)..entry.range.end;
            let middle = left.end..right.start;
            if !left.is_empty() {
                self.uses.push(Entry { range: left, ..entry.clone() });
            }
            if !right.is_empty() {
                self.uses.push(Entry { range: right, ..entry.clone() });
            }
            if let Some(middle) = inside(Entry { range: middle, ..entry }) {
                self.uses.push(middle);
            }
        }
    }

    /// Adds an entry. Merges it with an adjacent one that differs only in its range.
    fn push(&mut self, mut new: Entry<S>) {
        let touching = |entry: &Entry<S>, new: &Entry<S>| {
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

    /// Limits the length of the list: merges all reads of a stream into one entry and all its
    /// writes into another. Each covers the gaps between the merged ranges.
    ///
    /// An entry that is too wide only causes unnecessary waits. The streams that have waited for
    /// the parts are forgotten, because they need not have waited for all parts.
    fn merge_hulls(&mut self, id: u64) {
        for access in [AccessMode::Read, AccessMode::Write] {
            let same = |entry: &Entry<S>| entry.access == access && entry.stream.id() == id;
            let Some(first) = self.uses.iter().find(|entry| same(entry)).cloned() else { continue };
            let mut hull = Entry { waited: Waited::default(), ..first };
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
