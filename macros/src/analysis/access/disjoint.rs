//! Pairs of accesses that never touch the same element, in no two iterations.

use std::collections::{BTreeMap, BTreeSet};

use super::digits::gcd;
use super::extents::{at_sample, bounds, ends};
use super::races::BufferAccesses;
use super::{Atom, Form};

/// An element by the two variables that it depends on.
struct Plane {
    /// That of the larger factor.
    row: Atom,
    column: Atom,
    /// Their factors, and the rest of the index.
    terms: [BTreeMap<Vec<Atom>, i64>; 3],
}

impl BufferAccesses<'_> {
    /// Whether the ranges of two accesses never meet.
    pub(super) fn disjoint(&self, a: usize, b: usize) -> bool {
        let below = |low: usize, high: usize| {
            let (ends, begins) = (
                ends(self.facts, self.access(low), &|_| true, true),
                ends(self.facts, self.access(high), &|_| true, false),
            );
            ends.iter().any(|end| begins.iter().any(|begin| begin.sub(end).is_some_and(|gap| self.is_positive(&gap))))
        };
        below(a, b) || below(b, a)
    }

    /// Whether it is above 0: twice `n / 2` is at most `n`.
    fn is_positive(&self, form: &Form) -> bool {
        let rests = self
            .facts
            .quotients
            .iter()
            .filter_map(|(&number, (whole, by))| whole.sub(&Form::atom(number).mul(&Form::constant(*by))?));
        form.is_positive() || rests.into_iter().any(|rest| form.sub(&rest).is_some_and(|gap| gap.is_positive()))
    }

    /// Whether the indexes of two accesses are always different modulo what divides all that varies in them, as
    /// `2 * i` and `2 * i + 1` are.
    pub(super) fn gcd_test(&self, a: usize, b: usize) -> Option<bool> {
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

    /// Whether two accesses lie on different diagonals of a plane, as `x[i * n + j]` and `x[j * n + i]` do where `j < i`.
    /// Whether its rows are long enough for that the launch decides.
    pub(super) fn across(&self, a: usize, b: usize) -> Option<bool> {
        let (plane_of_a, plane_of_b) = (self.plane(a)?, self.plane(b)?);
        let diagonals = |at: usize, plane: &Plane, upper: bool| {
            let diagonal = Form::atom(plane.row).sub(&Form::atom(plane.column));
            diagonal.map(|form| bounds(self.facts, self.access(at), form, &|_| true, upper)).unwrap_or_default()
        };
        let below = |low: Vec<Form>, high: Vec<Form>| {
            let apart = |low: &Form| high.iter().any(|high| high.sub(low).is_some_and(|gap| gap.is_positive()));
            low.iter().any(apart)
        };
        let of_a = |upper| diagonals(a, &plane_of_a, upper);
        let of_b = |upper| diagonals(b, &plane_of_b, upper);
        let one_plane = plane_of_a.terms == plane_of_b.terms;
        Some(one_plane && (below(of_a(true), of_b(false)) || below(of_b(true), of_a(false))))
    }

    fn plane(&self, at: usize) -> Option<Plane> {
        let index = self.access(at).index.as_ref().filter(|_| self.access(at).end.is_none())?;
        let moves = |atom: &Atom| !matches!(atom, Atom::Symbol(_));
        let atoms: BTreeSet<Atom> = index.terms.keys().flatten().copied().filter(moves).collect();
        let &[a, b] = atoms.into_iter().collect::<Vec<_>>().as_slice() else { return None };
        let (of_a, rest) = index.split(a)?;
        let (of_b, rest) = rest.split(b)?;
        let larger = at_sample(&of_a) > at_sample(&of_b);
        let ((row, of_row), (column, of_column)) = if larger { ((a, of_a), (b, of_b)) } else { ((b, of_b), (a, of_a)) };
        Some(Plane { row, column, terms: [of_row.terms, of_column.terms, rest.terms] })
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
