//! The last verdict of a loop: most launches have the numbers of the one before.

use std::any::TypeId;
use std::sync::RwLock;

use super::{Axis, Refusal, Verdict};

/// How a loop may run, with all that this was decided from. A refusal is not remembered.
///
/// All instances of a generic kernel share it, and so do all threads. It is a hit only if everything is equal: the type of the
/// body, which says what rustc has inferred at this instance, and every number; never a hash. No thread waits for another one: who finds the lock
/// taken decides anew, or leaves what stands there.
#[derive(Debug, Default)]
pub struct LastVerdict(RwLock<Option<Entry>>);

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
    pub const fn new() -> Self {
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
