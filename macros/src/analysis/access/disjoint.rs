//! Pairs of accesses that never touch the same element, in no two iterations.

use std::collections::BTreeSet;

use anabranch_core::facts::Polynomial;

use super::digits::gcd;
use super::extents::{at_sample, bounds, ends};
use super::races::BufferAccesses;
use super::{Atom, Form};

/// An element by the two variables that it depends on.
struct Coordinates {
    /// That of the larger factor.
    row: Atom,
    column: Atom,
    /// Their factors, and the rest of the index.
    parts: [Polynomial<Atom>; 3],
}

impl BufferAccesses<'_> {
    /// Whether the ranges of two accesses never meet.
    pub(super) fn disjoint(&self, a: usize, b: usize) -> bool {
        let below = |low: usize, high: usize| {
            let (ends, begins) = (
                ends(self.facts, self.found(low), &|_| true, true),
                ends(self.facts, self.found(high), &|_| true, false),
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

    /// Whether the indexes of two accesses are always different modulo what divides all that varies
    /// in them, as `2 * i` and `2 * i + 1` are.
    pub(super) fn gcd_test(&self, a: usize, b: usize) -> Option<bool> {
        if self.access(a).end.is_some() || self.access(b).end.is_some() {
            return Some(false);
        }
        let (a, b) = (self.in_steps(a)?, self.in_steps(b)?);
        let varies = |atoms: &[Atom]| atoms.iter().any(|atom| !matches!(atom, Atom::Symbol(_)));
        // What is the same for all iterations cancels; the rest is another number in each.
        let distance = a.sub(&b)?;
        let varying = a.value.terms.iter().chain(&b.value.terms).filter(|term| varies(&term.atoms));
        let fixed = distance.value.terms.iter().filter(|term| !term.atoms.is_empty() && !varies(&term.atoms));
        let common = varying.chain(fixed).fold(0, |common, term| gcd(common, term.factor.saturating_abs()));
        let distance = distance.value.constant();
        Some(distance.checked_rem(common).unwrap_or(distance) != 0)
    }

    /// Whether two accesses lie on different diagonals of a plane, as `x[i * n + j]` and
    /// `x[j * n + i]` do where `j < i`. Whether its rows are long enough for that the launch
    /// decides.
    pub(super) fn across(&self, a: usize, b: usize) -> Option<bool> {
        let (place_of_a, place_of_b) = (self.coordinates(a)?, self.coordinates(b)?);
        let diagonals = |at: usize, coordinates: &Coordinates, upper: bool| {
            let diagonal = Form::atom(coordinates.row).sub(&Form::atom(coordinates.column));
            diagonal.map(|form| bounds(self.facts, self.found(at), form, &|_| true, upper)).unwrap_or_default()
        };
        let below = |low: Vec<Form>, high: Vec<Form>| {
            let apart = |low: &Form| high.iter().any(|high| high.sub(low).is_some_and(|gap| gap.is_positive()));
            low.iter().any(apart)
        };
        let of_a = |upper| diagonals(a, &place_of_a, upper);
        let of_b = |upper| diagonals(b, &place_of_b, upper);
        let one_plane = place_of_a.parts == place_of_b.parts;
        Some(one_plane && (below(of_a(true), of_b(false)) || below(of_b(true), of_a(false))))
    }

    fn coordinates(&self, at: usize) -> Option<Coordinates> {
        let index = self.access(at).index.as_ref().filter(|_| self.access(at).end.is_none())?;
        let moves = |atom: &Atom| !matches!(atom, Atom::Symbol(_));
        let atoms: BTreeSet<Atom> = index.value.atoms().copied().filter(moves).collect();
        let &[a, b] = atoms.into_iter().collect::<Vec<_>>().as_slice() else { return None };
        let (of_a, rest) = index.split(a)?;
        let (of_b, rest) = rest.split(b)?;
        let larger = at_sample(&of_a) > at_sample(&of_b);
        let ((row, of_row), (column, of_column)) = if larger { ((a, of_a), (b, of_b)) } else { ((b, of_b), (a, of_a)) };
        Some(Coordinates { row, column, parts: [of_row.value, of_column.value, rest.value] })
    }

    /// The index of an access in numbers of steps: `first + step * i` in the place of a loop
    /// variable `i`.
    fn in_steps(&self, at: usize) -> Option<Form> {
        let index = self.access(at).index.clone()?;
        self.facts.ranges.iter().enumerate().try_fold(index, |index, (var, range)| {
            let (Some(step), Some(first)) = (&range.step, &range.first) else { return Some(index) };
            let var = Atom::Var(var);
            index.with(var, &first.add(&step.mul(&Form::atom(var))?)?)
        })
    }
}
