//! The facts of a loop as generated code holds them, and the last verdict: most launches have the
//! numbers of the one before.

use std::any::TypeId;
use std::sync::{OnceLock, PoisonError, RwLock};

use anabranch_core::decide::{Axis, Differ, Inlined, Refusal, Verdict};
use anabranch_core::facts::{Facts, wire};

/// Whether the launch has shown that the accesses of a loop whose check it decides are in bounds;
/// or an inner loop, of accesses in it.
///
/// Generated code passes it to those accesses, and to no others. That they are in bounds is then a
/// fact of arithmetic, which [`decide`](anabranch_core::decide) explains; that facts and accesses
/// belong together is on the macro.
#[derive(Debug, Clone, Copy)]
pub struct Decided(bool);

impl Decided {
    /// Every access checks for itself.
    pub const NO: Decided = Decided(false);

    /// Whether the checks can be left out.
    #[inline(always)]
    pub(crate) fn is_proved(self) -> bool {
        self.0
    }

    /// The same where the checks can be left out, in a form in which the compiler sees it.
    #[inline(always)]
    pub(crate) fn proved(self) -> Option<Self> {
        self.0.then_some(Self(true))
    }

    /// What a verdict says.
    pub(crate) fn by(verdict: Verdict) -> Self {
        Self(matches!(verdict, Verdict::Proved { .. }))
    }

    /// What an inner loop has found out before it began ([`along`](crate::cpu::loops::along)), for
    /// accesses in it. There is no other way to a value.
    #[inline(always)]
    pub(crate) fn by_loop(holds: bool) -> Self {
        Self(holds)
    }
}

/// What the launches of a loop are decided from.
///
/// The facts are decoded when they are first needed.
///
/// The last verdict is how a loop may run, with all that this was decided from. A refusal is not
/// remembered. All instances of a generic kernel share it, and so do all threads. It is a hit only
/// if everything is equal: the type of the body, which says what rustc has inferred at this
/// instance, and every number; never a hash. No thread waits for another one: if the lock is taken,
/// a thread decides anew, and leaves the entry as it is.
#[derive(Debug)]
pub struct Judge {
    bytes: &'static [u8],
    facts: OnceLock<Option<Facts>>,
    last: RwLock<Option<Entry>>,
    /// By bodies: the facts of a loop that calls functions.
    inlined: RwLock<Vec<(TypeId, &'static Inlined)>>,
}

#[derive(Debug)]
struct Entry {
    body: TypeId,
    /// As many of them as the body has variables.
    axes: [Axis; 3],
    /// In memory that the next entry takes over.
    symbols: Vec<Option<i128>>,
    verdict: Verdict,
}

impl Judge {
    /// With the facts that these bytes are. Nothing is decided yet.
    pub const fn new(bytes: &'static [u8]) -> Self {
        Self { bytes, facts: OnceLock::new(), last: RwLock::new(None), inlined: RwLock::new(Vec::new()) }
    }

    /// Of a loop that touches nothing.
    #[cfg(test)]
    pub(crate) const fn idle() -> Self {
        Self::new(&[0; 6])
    }

    /// The facts. `None`: the bytes are none, which the macros never write.
    #[inline]
    pub(crate) fn facts(&self) -> Option<&Facts> {
        self.facts.get_or_init(|| wire::decode(self.bytes)).as_ref()
    }

    /// The facts of an instance, with what its functions do in the place of their calls. That takes
    /// some microseconds, and is done once. They stay for as long as the kernel does, which is
    /// always.
    pub(crate) fn inlined(&self, body: TypeId, inline: impl FnOnce() -> Inlined) -> &'static Inlined {
        let known =
            |all: &[(TypeId, &'static Inlined)]| all.iter().find(|(of, _)| *of == body).map(|(_, known)| *known);
        if let Some(known) = self.inlined.read().ok().and_then(|all| known(&all)) {
            return known;
        }
        let mut all = self.inlined.write().unwrap_or_else(PoisonError::into_inner);
        known(&all).unwrap_or_else(|| {
            let new = Box::leak(Box::new(inline()));
            all.push((body, new));
            new
        })
    }

    /// The verdict that was remembered for these numbers, if it was. `symbol` gives the number of a
    /// source.
    #[inline]
    pub(crate) fn remembered<S>(
        &self,
        body: TypeId,
        axes: &[Axis],
        sources: &[S],
        symbol: impl Fn(&S) -> Result<Option<i128>, Differ>,
    ) -> Option<Verdict> {
        let entry = self.last.try_read().ok()?;
        let entry = entry.as_ref()?;
        let same = entry.body == body
            && entry.axes[..axes.len()] == *axes
            && entry.symbols.len() == sources.len()
            && entry.symbols.iter().zip(sources).all(|(known, source)| symbol(source).is_ok_and(|now| now == *known));
        same.then_some(entry.verdict)
    }

    /// The verdict that is made now. The next launch remembers it.
    pub(crate) fn decide(
        &self,
        body: TypeId,
        axes: &[Axis],
        symbols: &[Option<i128>],
        decide: impl FnOnce() -> Result<Verdict, Refusal>,
    ) -> Result<Verdict, Refusal> {
        let verdict = decide()?;
        self.remember(body, axes, symbols, verdict);
        Ok(verdict)
    }

    fn remember(&self, body: TypeId, of: &[Axis], numbers: &[Option<i128>], verdict: Verdict) {
        let Ok(mut entry) = self.last.try_write() else { return };
        let mut axes = [Axis { lo: 0, step: 1, trips: 1 }; 3];
        axes[..of.len()].copy_from_slice(of);
        let mut symbols = entry.take().map(|entry| entry.symbols).unwrap_or_default();
        symbols.clear();
        symbols.extend_from_slice(numbers);
        *entry = Some(Entry { body, axes, symbols, verdict });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: [Axis; 3] =
        [Axis { lo: 0, step: 1, trips: 9 }, Axis { lo: 0, step: 1, trips: 1 }, Axis { lo: 0, step: 1, trips: 1 }];
    const PROVED: Verdict = Verdict::Proved { narrow: true };

    /// What comes of a launch with these numbers, and whether that was decided.
    fn launch(judge: &Judge, body: TypeId, axes: &[Axis; 3], symbols: &[Option<i128>]) -> (Verdict, bool) {
        let remembered = judge.remembered(body, axes, symbols, |symbol| Ok(*symbol));
        let verdict = remembered.map_or_else(|| judge.decide(body, axes, symbols, || Ok(PROVED)), Ok);
        (verdict.unwrap(), remembered.is_none())
    }

    #[test]
    fn bytes_are_facts_or_nothing() {
        assert_eq!(Judge::idle().facts(), Some(&Facts::default()));
        assert_eq!(Judge::new(b"").facts(), None);
        assert_eq!(Judge::new(&[0; 7]).facts(), None);
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
                let judge = Judge::idle();
                assert_eq!(launch(&judge, other_body, other_axes, other_symbols), (PROVED, true));
                let same = (body, axes, symbols) == (other_body, other_axes, other_symbols);
                assert_eq!(launch(&judge, body, axes, symbols), (PROVED, !same));
                assert_eq!(launch(&judge, body, axes, symbols), (PROVED, false));
            }
        }
    }

    #[test]
    fn refusals_are_not_remembered_and_forget_nothing() {
        let (judge, body) = (Judge::idle(), TypeId::of::<u8>());
        launch(&judge, body, &LINE, &[Some(1)]);
        let refusal = Refusal::Overlap { first: 0, second: 0 };
        for _ in 0..2 {
            assert_eq!(judge.remembered(body, &LINE, &[Some(2)], |symbol| Ok(*symbol)), None);
            assert_eq!(judge.decide(body, &LINE, &[Some(2)], || Err(refusal)), Err(refusal));
        }
        assert_eq!(launch(&judge, body, &LINE, &[Some(1)]), (PROVED, false));
    }

    #[test]
    fn mentions_that_differ_are_no_number() {
        let (judge, body) = (Judge::idle(), TypeId::of::<u8>());
        launch(&judge, body, &LINE, &[None]);
        assert_eq!(judge.remembered(body, &LINE, &[()], |()| Ok(None)), Some(PROVED));
        assert_eq!(judge.remembered(body, &LINE, &[()], |()| Err(Differ)), None);
    }

    #[test]
    fn nobody_waits() {
        let (judge, body) = (Judge::idle(), TypeId::of::<u8>());
        launch(&judge, body, &LINE, &[Some(1)]);
        {
            let _reads = judge.last.read();
            assert_eq!(launch(&judge, body, &LINE, &[Some(1)]), (PROVED, false));
            assert_eq!(launch(&judge, body, &LINE, &[Some(2)]), (PROVED, true));
        }
        {
            let _writes = judge.last.write();
            assert_eq!(launch(&judge, body, &LINE, &[Some(1)]), (PROVED, true));
        }
        assert_eq!(launch(&judge, body, &LINE, &[Some(1)]), (PROVED, false));
    }
}
