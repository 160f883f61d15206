//! Pairs of accesses that never touch the same element, in no two iterations.

use super::digits::gcd;
use super::ends::ends;
use super::races::Buffer;
use super::{Atom, Form};

impl Buffer<'_> {
    /// Whether the ranges of two accesses never meet.
    pub(super) fn disjoint(&self, a: usize, b: usize) -> bool {
        let below = |low: usize, high: usize| {
            let (ends, begins) = (
                ends(self.facts, self.access(low), &|_| true, true),
                ends(self.facts, self.access(high), &|_| true, false),
            );
            ends.iter().any(|end| begins.iter().any(|begin| begin.sub(end).is_some_and(|d| d.is_positive())))
        };
        below(a, b) || below(b, a)
    }

    /// Whether the indexes of two accesses are always different modulo what divides all that varies in them, as
    /// `2 * i` and `2 * i + 1` are.
    pub(super) fn strangers(&self, a: usize, b: usize) -> Option<bool> {
        if self.access(a).end.is_some() || self.access(b).end.is_some() {
            return Some(false);
        }
        let (a, b) = (self.in_steps(a)?, self.in_steps(b)?);
        let varies = |atoms: &[Atom]| atoms.iter().any(|atom| !matches!(atom, Atom::Symbol(_)));
        // What is the same for all iterations cancels; the rest is another number in each.
        let distance = a.sub(&b)?;
        let varying = a.terms.iter().chain(&b.terms).filter(|(atoms, _)| varies(atoms));
        let fixed = distance.terms.iter().filter(|(atoms, _)| !atoms.is_empty() && !varies(atoms));
        let common = varying.chain(fixed).fold(0, |common, (_, factor)| gcd(common, factor.saturating_abs()));
        Some(distance.offset().checked_rem(common).unwrap_or(distance.offset()) != 0)
    }

    /// The index of an access in numbers of steps: `first + step * i` in the place of a loop variable `i`.
    fn in_steps(&self, at: usize) -> Option<Form> {
        let index = self.access(at).index.clone()?;
        self.facts.ranges.iter().enumerate().try_fold(index, |index, (var, range)| {
            let (Some(step), Some(first)) = (&range.step, &range.first) else { return Some(index) };
            let var = Atom::Var(var);
            index.with(var, &first.add(&step.mul(&Form::atom(var))?)?)
        })
    }
}
