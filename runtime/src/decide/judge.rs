//! The facts of a loop as generated code holds them.

use std::any::TypeId;
use std::sync::OnceLock;

use anabranch_core::facts::{Facts, wire};

use super::last::LastVerdict;
use super::{Axis, Numbers, Refusal, Verdict, decide};

/// What the launches of a loop are decided from: its facts, as the bytes of a literal, which are decoded when they are first
/// needed, and the last verdict.
#[derive(Debug)]
pub struct Judge {
    bytes: &'static [u8],
    facts: OnceLock<Option<Facts>>,
    last: LastVerdict,
}

impl Judge {
    /// Nothing is decoded yet.
    pub const fn new(bytes: &'static [u8]) -> Self {
        Self { bytes, facts: OnceLock::new(), last: LastVerdict::new() }
    }

    /// Of a loop that touches nothing.
    #[cfg(test)]
    pub(crate) const fn idle() -> Self {
        Self::new(&[0; 5])
    }

    /// The facts. `None`: the bytes are none, which the macros never write.
    #[inline]
    pub(crate) fn facts(&self) -> Option<&Facts> {
        self.facts.get_or_init(|| wire::decode(self.bytes)).as_ref()
    }

    /// The verdict with these numbers: the last one, if it was made of the same. `axes` are three in any case.
    #[inline]
    pub(crate) fn verdict(
        &self,
        facts: &Facts,
        body: TypeId,
        axes: &[Axis; 3],
        numbers: &Numbers<'_>,
    ) -> Result<Verdict, Refusal> {
        self.last.or_decide(body, axes, numbers.symbols, || decide(facts, numbers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_facts_or_nothing() {
        assert_eq!(Judge::idle().facts(), Some(&Facts::default()));
        assert_eq!(Judge::new(b"").facts(), None);
        assert_eq!(Judge::new(&[0; 6]).facts(), None);
    }
}
