//! The last verdict of a loop: most launches have the numbers of the one before.

use std::any::TypeId;
use std::sync::RwLock;

use super::{Axis, Refusal, Verdict};

/// How a loop may run, with all that this was decided from. A refusal is not remembered.
///
/// All instances of a generic kernel share it, and so do all threads. It is a hit only if everything is equal: the type of the
/// body, which says what rustc has inferred at this instance, and every number; never a hash. No thread waits for another one: if the lock is
/// taken, a thread decides anew, and leaves the entry as it is.
#[derive(Debug, Default)]
pub(super) struct LastVerdict(RwLock<Option<Entry>>);

#[derive(Debug)]
struct Entry {
    body: TypeId,
    axes: [Axis; 3],
    /// In memory that the next entry takes over.
    symbols: Vec<Option<i128>>,
    verdict: Verdict,
}

impl LastVerdict {
    /// Nothing is decided yet.
    pub(super) const fn new() -> Self {
        Self(RwLock::new(None))
    }

    /// The verdict that was remembered for these numbers, or the one that is made now.
    #[inline]
    pub(crate) fn or_decide(
        &self,
        body: TypeId,
        axes: &[Axis; 3],
        symbols: &[Option<i128>],
        decide: impl FnOnce() -> Result<Verdict, Refusal>,
    ) -> Result<Verdict, Refusal> {
        if let Ok(entry) = self.0.try_read()
            && let Some(entry) = &*entry
            && entry.body == body
            && entry.axes == *axes
            && entry.symbols == symbols
        {
            return Ok(entry.verdict);
        }
        let verdict = decide()?;
        self.remember(body, axes, symbols, verdict);
        Ok(verdict)
    }

    fn remember(&self, body: TypeId, axes: &[Axis; 3], numbers: &[Option<i128>], verdict: Verdict) {
        let Ok(mut entry) = self.0.try_write() else { return };
        let mut symbols = entry.take().map(|entry| entry.symbols).unwrap_or_default();
        symbols.clear();
        symbols.extend_from_slice(numbers);
        *entry = Some(Entry { body, axes: *axes, symbols, verdict });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: [Axis; 3] =
        [Axis { lo: 0, step: 1, trips: 9 }, Axis { lo: 0, step: 1, trips: 1 }, Axis { lo: 0, step: 1, trips: 1 }];
    const PROVED: Verdict = Verdict::Proved { narrow: true };

    /// What comes of a launch with these numbers, and whether that was decided.
    fn launch(last: &LastVerdict, body: TypeId, axes: &[Axis; 3], symbols: &[Option<i128>]) -> (Verdict, bool) {
        let mut decided = false;
        let verdict = last.or_decide(body, axes, symbols, || {
            decided = true;
            Ok(PROVED)
        });
        (verdict.unwrap(), decided)
    }

    #[test]
    fn a_hit_has_the_same_body_and_the_same_numbers() {
        let (one, other) = (TypeId::of::<u8>(), TypeId::of::<u16>());
        let [line, rows, columns] = LINE;
        let axes = [
            LINE,
            [Axis { lo: 1, ..line }, rows, columns],
            [Axis { step: 2, ..line }, rows, columns],
            [Axis { trips: 8, ..line }, rows, columns],
            [line, Axis { trips: 2, ..rows }, columns],
            [line, rows, Axis { lo: 1 << 64, ..columns }],
        ];
        let symbols: [&[Option<i128>]; 7] =
            [&[], &[None], &[Some(0)], &[Some(1)], &[Some(1 + (1 << 64))], &[Some(1), None], &[None, Some(1)]];
        let keys: Vec<_> = [one, other]
            .into_iter()
            .flat_map(|body| axes.iter().map(move |axes| (body, axes)))
            .flat_map(|(body, axes)| symbols.iter().map(move |symbols| (body, axes, *symbols)))
            .collect();
        for &(body, axes, symbols) in &keys {
            for &(other_body, other_axes, other_symbols) in &keys {
                let last = LastVerdict::new();
                assert_eq!(launch(&last, other_body, other_axes, other_symbols), (PROVED, true));
                let same = (body, axes, symbols) == (other_body, other_axes, other_symbols);
                assert_eq!(launch(&last, body, axes, symbols), (PROVED, !same));
                assert_eq!(launch(&last, body, axes, symbols), (PROVED, false));
            }
        }
    }

    #[test]
    fn refusals_are_not_remembered_and_forget_nothing() {
        let (last, body) = (LastVerdict::new(), TypeId::of::<u8>());
        launch(&last, body, &LINE, &[Some(1)]);
        let refusal = Refusal::Overlap { first: 0, second: 0 };
        for _ in 0..2 {
            assert_eq!(last.or_decide(body, &LINE, &[Some(2)], || Err(refusal)), Err(refusal));
        }
        assert_eq!(launch(&last, body, &LINE, &[Some(1)]), (PROVED, false));
    }

    #[test]
    fn nobody_waits() {
        let (last, body) = (LastVerdict::new(), TypeId::of::<u8>());
        launch(&last, body, &LINE, &[Some(1)]);
        {
            let _reads = last.0.read();
            assert_eq!(launch(&last, body, &LINE, &[Some(1)]), (PROVED, false));
            assert_eq!(launch(&last, body, &LINE, &[Some(2)]), (PROVED, true));
        }
        {
            let _writes = last.0.write();
            assert_eq!(launch(&last, body, &LINE, &[Some(1)]), (PROVED, true));
        }
        assert_eq!(launch(&last, body, &LINE, &[Some(1)]), (PROVED, false));
    }
}
