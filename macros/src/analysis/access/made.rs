//! What the indexes of accesses are made of: loop variables, elements, results of calls.

use std::collections::{BTreeMap, BTreeSet};

use anabranch_core::facts::Value;

use super::extents::is_fixed;
use super::{Atom, Comparison, Form, Found, InnerLoop, LoopFacts, Operation, Step};
use crate::ir::ParLoop;

pub(super) struct Indexes<'a> {
    facts: &'a LoopFacts,
    vars: usize,
    /// By atoms.
    made_of: BTreeMap<Atom, Made<'a>>,
}

impl<'a> Indexes<'a> {
    pub(super) fn of(par_loop: &ParLoop, facts: &'a LoopFacts) -> Self {
        let mut made_of = BTreeMap::new();
        what_makes(&facts.steps, &mut made_of);
        Self { facts, vars: par_loop.dims.len(), made_of }
    }

    fn found(&self, at: usize) -> &'a Found {
        &self.facts.accesses[at]
    }

    /// Whether an index depends on what no launch knows: an element that was loaded. Of a grid,
    /// other components may tell the iterations apart, which is for the launch to decide:
    /// `counts[[row, bin]] += 1`.
    pub(super) fn depends_on_data(&self, at: usize) -> bool {
        let access = &self.found(at).access;
        let known = access.components().filter_map(|(_, index)| index);
        let known: Vec<&Form> = known.filter(|index| !self.is_of_data([*index])).collect();
        let in_one = |var| known.iter().any(|index| index.atoms().any(|atom| atom == Atom::Var(var)));
        if !access.more.is_empty() && (0..self.vars).all(in_one) {
            return false;
        }
        self.is_of_data(access.forms()) || !is_known(self.found(at))
    }

    /// Whether an index depends on what a function returns.
    pub(super) fn is_called(&self, at: usize) -> bool {
        let mut atoms: Vec<Atom> = self.found(at).access.forms().flat_map(Form::atoms).collect();
        let mut seen = BTreeSet::new();
        while let Some(atom) = atoms.pop() {
            if self.facts.called.contains(&atom) {
                return true;
            }
            if let Some(Made::Of(forms)) = self.made_of.get(&atom).filter(|_| seen.insert(atom)) {
                atoms.extend(forms.iter().copied().flat_map(Form::atoms));
            }
        }
        false
    }

    /// Whether an index may be any number, whatever the iteration is. Beside a form of all loop
    /// variables, an element may be small enough to tell nothing:
    /// `counts[256 * i + byte[i] as usize]`. Its type shows that, at the launch.
    pub(super) fn is_any(&self, at: usize) -> bool {
        let access = &self.found(at).access;
        let atoms = all_atoms(&self.made_of, access.forms());
        let is_element = |atom: &Atom| self.facts.elements.contains(atom);
        let by_elements =
            atoms.iter().all(|atom| !matches!(self.made_of.get(atom), Some(Made::OfData)) || is_element(atom));
        self.depends_on_data(at) && !(is_known(self.found(at)) && by_elements && !self.misses_a_variable(at))
    }

    fn is_of_data<'f>(&self, forms: impl IntoIterator<Item = &'f Form>) -> bool {
        all_atoms(&self.made_of, forms).iter().any(|atom| match self.made_of.get(atom) {
            Some(Made::Of(_)) => false,
            Some(Made::OfData) => true,
            None => false,
        })
    }

    /// Whether the index of an access misses a loop variable.
    fn misses_a_variable(&self, at: usize) -> bool {
        (0..self.vars).any(|var| self.misses(at, var))
    }

    /// Whether the index of an access has no factor of a loop variable, neither by itself nor by
    /// where inner loops begin, nor is a result of operations on it. Those the launch takes apart.
    pub(super) fn misses(&self, at: usize, var: usize) -> bool {
        let Found { access, loops, .. } = self.found(at);
        let begins = |index: Form, par_loop: &InnerLoop| index.with(par_loop.atom, par_loop.values.first.as_ref()?);
        let indexes = access.components().filter_map(|(_, index)| index);
        let begin = |index: &Form| loops.iter().rev().try_fold(index.clone(), begins);
        let Some(indexes) = indexes.map(begin).collect::<Option<Vec<Form>>>() else { return false };
        if indexes.is_empty() && !self.found(at).is_whole() {
            return false;
        }
        let varies = self.facts.ranges[var].extent().and_then(|extent| extent.literal()) != Some(0);
        let has_factor = indexes.iter().any(|index| {
            index.split(Atom::Var(var)).is_none_or(|(factor, _)| !factor.value.is_zero())
                || index.atoms().any(|atom| matches!(atom, Atom::Other(_)))
                    && all_atoms(&self.made_of, [index]).contains(&Atom::Var(var))
        });
        varies && !has_factor && !self.is_pinned(at, var)
    }

    /// Whether a condition says that a variable is equal to what others make: `if i == j`.
    pub(super) fn is_tied(&self, at: usize, var: usize) -> bool {
        self.found(at)
            .conditions
            .iter()
            .filter(|c| c.comparison == Comparison::Equal)
            .any(|c| c.lhs.sub(&c.rhs).is_some_and(|way| way.atoms().any(|atom| atom == Atom::Var(var))))
    }

    /// Whether conditions leave a variable one value.
    fn is_pinned(&self, at: usize, var: usize) -> bool {
        self.found(at).conditions.iter().filter(|c| c.comparison == Comparison::Equal).any(|c| {
            let parts = c.lhs.sub(&c.rhs).and_then(|way| way.split(Atom::Var(var)));
            parts.is_some_and(|(factor, rest)| {
                factor.literal().is_some_and(|factor| factor.saturating_abs() == 1) && is_fixed(&rest)
            })
        })
    }
}

/// Whether it is known where an access begins and ends.
fn is_known(found: &Found) -> bool {
    let access = &found.access;
    found.is_whole() || access.components().all(|(_, index)| index.is_some()) && !matches!(access.end, Some(None))
}

/// What the value of an atom is made of.
enum Made<'f> {
    Of(Vec<&'f Form>),
    OfData,
}

/// The atoms of forms, and all that these are made of.
fn all_atoms<'f>(made_of: &BTreeMap<Atom, Made<'_>>, forms: impl IntoIterator<Item = &'f Form>) -> BTreeSet<Atom> {
    let mut atoms: Vec<Atom> = forms.into_iter().flat_map(Form::atoms).collect();
    let mut all = BTreeSet::new();
    while let Some(atom) = atoms.pop() {
        if let (true, Some(Made::Of(forms))) = (all.insert(atom), made_of.get(&atom)) {
            atoms.extend(forms.iter().copied().flat_map(Form::atoms));
        }
    }
    all
}

fn what_makes<'f>(steps: &'f [Step], made: &mut BTreeMap<Atom, Made<'f>>) {
    for step in steps {
        match step {
            Step::Let { atom, value: Value { operation: Operation::Any, .. } } => {
                made.insert(*atom, Made::OfData);
            }
            Step::Let { atom, value: Value { operands, .. } } => {
                made.insert(*atom, Made::Of(operands.iter().collect()));
            }
            Step::Declare { atom } => {
                made.insert(*atom, Made::Of(Vec::new()));
            }
            Step::Join { atom, value, .. } => {
                if let Some(Made::Of(forms)) = made.get_mut(atom) {
                    forms.push(value);
                }
            }
            Step::For { atom, start, end, step, body, .. } => {
                made.insert(*atom, Made::Of([start, end].into_iter().chain(step).collect()));
                what_makes(body, made);
            }
            Step::When { body, conditions: _ } => what_makes(body, made),
            Step::Call(call) => {
                made.insert(call.result, Made::Of(call.forms().collect()));
            }
            Step::Access(_) => {}
        }
    }
}
