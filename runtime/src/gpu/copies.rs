//! The copies from and to a block of host memory that may still be in progress.

use std::ops::Range;
use std::sync::Arc;

use crate::order::hazard::AccessMode;

/// From this many copies on, their events are queried for completion.
const ASK: usize = 16;

/// The list of copies of one block. `E` is the event after a copy.
///
/// Each copy has an entry until it is known to be complete, or until a later entry covers it: a use
/// that must wait for the earlier copy must also wait for the later one, which ends after it.
/// Unlike a use of device memory ([`Hazards`](crate::order::hazard::Hazards)), an entry has its own
/// event, because the host should wait for the copy and not for work after it.
#[derive(Debug)]
pub(super) struct Copies<E> {
    all: Vec<Queued<E>>,
    /// Number of entries at which the events are queried.
    ask: usize,
}

/// A copy on a stream.
#[derive(Debug)]
pub(super) struct Queued<E> {
    range: Range<usize>,
    access: AccessMode,
    /// The stream's number.
    pub(super) stream: u64,
    /// Complete when the copy is.
    pub(super) end: Arc<E>,
}

impl<E> Default for Copies<E> {
    fn default() -> Self {
        Self { all: Vec::new(), ask: ASK }
    }
}

impl<E> Copies<E> {
    /// The copies that a use of the range must come after. Copies on the same stream are in order
    /// anyway.
    pub(super) fn conflicts(&self, range: &Range<usize>, access: AccessMode) -> impl Iterator<Item = &Queued<E>> {
        self.all.iter().filter(move |copy| {
            copy.range.start < range.end
                && range.start < copy.range.end
                && (access == AccessMode::Write || copy.access == AccessMode::Write)
        })
    }

    /// Records a copy, which comes after its [`conflicts`](Self::conflicts).
    pub(super) fn record(
        &mut self,
        range: Range<usize>,
        access: AccessMode,
        stream: u64,
        end: E,
        is_complete: impl Fn(&E) -> bool,
    ) {
        // A read only comes after earlier reads on its own stream. It does not cover a write,
        // because other readers need not wait for it.
        self.all.retain(|earlier| {
            let inside = range.start <= earlier.range.start && earlier.range.end <= range.end;
            let behind =
                access == AccessMode::Write || (earlier.access == AccessMode::Read && earlier.stream == stream);
            !(inside && behind)
        });
        self.all.push(Queued { range, access, stream, end: Arc::new(end) });
        if self.all.len() >= self.ask {
            self.all.retain(|copy| !is_complete(&copy.end));
            self.ask = ASK.max(2 * self.all.len()); // each event is queried only a few times, however many there are
        }
    }

    /// Drops the copies that are complete.
    pub(super) fn forget(&mut self, is_complete: impl Fn(&Arc<E>) -> bool) {
        self.all.retain(|copy| !is_complete(&copy.end));
    }

    /// The events of all of them.
    pub(super) fn ends(&mut self) -> Vec<Arc<E>> {
        self.all.drain(..).map(|copy| copy.end).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random: xorshift.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % end
        }

        fn range(&mut self) -> Range<usize> {
            let (a, b) = (self.below(24) as usize, self.below(8) as usize);
            a..a + b + 1
        }

        fn access(&mut self) -> AccessMode {
            if self.below(2) == 0 { AccessMode::Read } else { AccessMode::Write }
        }
    }

    /// A copy in the model: the copies that are complete when it is.
    struct Real {
        range: Range<usize>,
        access: AccessMode,
        stream: u64,
        before: Vec<bool>,
    }

    /// Random copies on four streams, some of them complete: a use that waits as the list requires
    /// has waited for all conflicting copies.
    #[test]
    fn who_waits_as_the_books_say_has_waited_for_all() {
        let mut random = Random(0x2545_F491_4F6C_DD1D);
        let mut most = 0;
        for _ in 0..300 {
            let mut copies = Copies::<usize>::default();
            let mut real: Vec<Real> = Vec::new();
            let mut complete: Vec<bool> = Vec::new();
            for number in 0..100 {
                let (range, access, stream) = (random.range(), random.access(), random.below(4));
                let touch = random.below(8) == 0;
                // The copies known to be complete after a wait for these, and for earlier copies on
                // the same stream.
                let mut known = complete.clone();
                let mut wait = |number: usize| {
                    real[number].before.iter().zip(&mut known).for_each(|(before, known)| *known |= before);
                };
                copies
                    .conflicts(&range, access)
                    .filter(|copy| touch || copy.stream != stream)
                    .for_each(|copy| wait(*copy.end));
                if !touch {
                    (0..number).filter(|&earlier| real[earlier].stream == stream).for_each(wait);
                }
                for (earlier, copy) in real.iter().enumerate() {
                    let overlap = copy.range.start < range.end && range.start < copy.range.end;
                    let conflict = overlap && (access == AccessMode::Write || copy.access == AccessMode::Write);
                    assert!(!conflict || known[earlier], "{number} has not waited for {earlier}");
                }
                if touch {
                    copies.forget(|end| known[**end]);
                }
                if touch || random.below(16) == 0 {
                    complete.clone_from(&known);
                }
                // A touch counts as an empty copy, to keep the numbers.
                let range = if touch { 0..0 } else { range };
                known.push(true);
                complete.push(touch);
                real.push(Real { range: range.clone(), access, stream: if touch { 4 } else { stream }, before: known });
                if !touch {
                    copies.record(range, access, stream, number, |&end| complete[end]);
                }
                most = most.max(copies.all.len());
            }
        }
        assert!(most >= ASK, "the books were never asked: {most}");
    }

    /// A copy in a loop, without a use by the host.
    #[test]
    fn the_books_stay_small() {
        let mut copies = Copies::<usize>::default();
        for round in 0..1000 {
            copies.record(0..8, AccessMode::Read, 1, round, |_| false);
            copies.record(2..4, AccessMode::Read, 2, round, |_| false);
        }
        assert_eq!(copies.all.len(), 2);
        for round in 0..1000 {
            copies.record(round..round + 1, AccessMode::Read, 1, round, |&end| end + 10 < round);
        }
        assert!(copies.all.len() < 2 * ASK + 10, "{}", copies.all.len());
        copies.record(0..2000, AccessMode::Write, 3, 0, |_| false);
        assert_eq!(copies.ends().len(), 1);
    }
}
