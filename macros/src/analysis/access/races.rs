//! Iterations of a `par` loop that touch the same element, refused before anything is launched.
//!
//! Whether a loop may run, the launch decides, with the numbers: it gets the accesses of every
//! buffer that a loop writes ([`LoopFacts::races`]), whatever is found here. A loop is refused here
//!
//! - if an index says nothing that a launch could use: it depends on data, or not on every loop
//!   variable,
//! - or if the rules below do not tell iterations apart, and two iterations that meet are found
//!   ([`counterexample`]).
//!
//! **Rules.** Take all accesses of a buffer that the loop writes. Where the ranges of two of them
//! never meet, or, if that is not enough, where their indexes differ modulo what divides all that
//! varies in them, or lie on different diagonals of a plane, they are no matter to each other. The
//! others form clusters, and in a cluster with a write
//!
//! 1. every index is a form, linear in the loop variables (the user answers for what is in
//!    `unsafe`);
//! 2. all accesses have the same coefficient of each loop variable, and no factor is 0;
//! 3. the index reads like a number in a mixed radix. Its digits are the loop variables in the
//!    steps of their ranges, the variables of inner loops from their first values on, and the
//!    symbolic distances between the accesses, unless these all lie below the loop variables;
//!    digits of the same factor, none of them a loop variable, are one. Sorted by their factors,
//!    the factor of a loop variable, and of every digit after one, exceeds what all smaller digits
//!    and the literal distances can sum up to.
//!
//! Then two iterations that differ in a variable differ in the index. Symbols are taken to be at
//! least 1, and as large as 3 asks: the rules say which loops are worth a search, and no more.

use std::collections::{BTreeMap, BTreeSet};

use anabranch_core::facts::Value;

use super::conflict::{Conflict, Why};
use super::digits::{DigitKind, SymbolicDigit, are_near, distances, magnitude, merged, spread};
use super::extents::{at_sample, is_fixed};
use super::{Access, Atom, Comparison, Form, Found, InnerLoop, LoopFacts, Operation, Step};
use crate::ir::{CaptureId, ParLoop, SiteId};
use crate::report::Report;

/// Reports iterations that meet, once a buffer, and lists what the launch has to tell apart.
pub(crate) fn check(par_loop: &ParLoop, facts: &mut LoopFacts, report: &mut Report) {
    let sites = unsafe_sites(par_loop, facts);
    facts.unsafe_sites.extend(sites);
    std::mem::take(&mut facts.meetings).into_iter().for_each(|meeting| meeting.report(report));
    let mut views: Vec<CaptureId> =
        facts.accesses.iter().filter(|a| a.access.write && !a.unsafe_access).map(Found::view).collect();
    views.sort_unstable();
    views.dedup();
    for view in views {
        let of_view = |a: &Found| a.view() == view && !a.unsafe_access;
        let group: Vec<usize> = (0..facts.accesses.len()).filter(|&at| of_view(&facts.accesses[at])).collect();
        let buffer = BufferAccesses { par_loop, facts };
        if let Err(conflict) = buffer.judge(&group)
            && buffer.is_shown(&conflict, &group)
        {
            conflict.report(par_loop, facts, &group, report);
        }
        facts.races.push(uncovered(facts, &group));
    }
}

/// The accesses without those that others cover.
fn uncovered(facts: &LoopFacts, group: &[usize]) -> Vec<usize> {
    let covers = |one: usize, other: usize| facts.accesses[one].covers(&facts.accesses[other]);
    let mut kept: Vec<usize> = Vec::new();
    for &at in group {
        if !kept.iter().any(|&other| covers(other, at)) {
            kept.retain(|&other| !covers(at, other));
            kept.push(at);
        }
    }
    kept
}

impl Found {
    /// Whether it touches all that another one does, in the same iterations, and does no less to
    /// it.
    fn covers(&self, other: &Found) -> bool {
        let (one, another) = (&self.access, &other.access);
        (one.write || !another.write)
            && one.index == another.index
            && self.components == other.components
            && one.end == another.end
            && self.loops.iter().map(|l| l.atom).eq(other.loops.iter().map(|l| l.atom))
            && other.conditions.starts_with(&self.conditions)
    }
}

/// The sites in `unsafe` blocks that need them: those of buffers whose accesses are not shown to be
/// apart without.
fn unsafe_sites(par_loop: &ParLoop, facts: &LoopFacts) -> BTreeSet<SiteId> {
    let needed = |found: &Found| {
        let group: Vec<usize> =
            (0..facts.accesses.len()).filter(|&at| facts.accesses[at].access.view == found.access.view).collect();
        group.iter().any(|&at| facts.accesses[at].access.write)
            && BufferAccesses { par_loop, facts }.judge(&group).is_err()
    };
    facts.accesses.iter().filter(|found| found.unsafe_access && needed(found)).filter_map(|found| found.site).collect()
}

pub(super) struct BufferAccesses<'a> {
    pub(super) par_loop: &'a ParLoop,
    pub(super) facts: &'a LoopFacts,
}

impl BufferAccesses<'_> {
    /// Whether the rules tell iterations apart.
    fn judge(&self, group: &[usize]) -> Result<(), Conflict> {
        // Where an access lies, and where it ends, must be known at all.
        let is_unknown = |access: &Access| access.index.is_none() || access.end.as_ref().is_some_and(Option::is_none);
        if let Some(second) = group.iter().copied().find(|&at| is_unknown(self.access(at))) {
            let first = group.iter().copied().find(|&at| self.access(at).write).unwrap_or(second);
            return Err(Conflict { first, second, why: Why::Opaque });
        }
        clusters(group, |a, b| self.disjoint(a, b)).iter().try_for_each(|cluster| self.apart(cluster))
    }

    /// Whether a conflict is one whatever the numbers of the launch are, or has an example.
    fn is_shown(&self, conflict: &Conflict, group: &[usize]) -> bool {
        let Conflict { first, second, why } = conflict;
        if self.is_called(*first) || self.is_called(*second) {
            // What a function returns, only the launch knows.
            return false;
        }
        match why {
            Why::Missing(var) => {
                !self.is_tied(*first, *var)
                    && (self.misses(*first, *var) || conflict.meeting(self.par_loop, self.facts, group).is_some())
            }
            Why::Opaque if self.access(*second).write && self.misses_a_variable(*second) => true,
            Why::Opaque | Why::Factors | Why::SameFactor(..) | Why::Distance => {
                self.is_any(*first)
                    || self.is_any(*second)
                    || conflict.meeting(self.par_loop, self.facts, group).is_some()
            }
        }
    }

    /// Whether the accesses of a cluster are apart.
    fn apart(&self, cluster: &[usize]) -> Result<(), Conflict> {
        if !cluster.iter().any(|&at| self.access(at).write) {
            return Ok(());
        }
        self.cluster(cluster).or_else(|conflict| {
            // Some of them may have nothing in common.
            let apart = |found: Option<bool>| found.unwrap_or(false);
            let parts = clusters(cluster, |a, b| apart(self.gcd_test(a, b)) || apart(self.across(a, b)));
            let apart = parts.len() > 1 && parts.iter().all(|part| self.apart(part).is_ok());
            if apart { Ok(()) } else { Err(conflict) }
        })
    }

    pub(super) fn found(&self, at: usize) -> &Found {
        &self.facts.accesses[at]
    }

    pub(super) fn access(&self, at: usize) -> &Access {
        &self.found(at).access
    }

    /// The same for accesses with a write among them, by rules 1 to 3.
    fn cluster(&self, cluster: &[usize]) -> Result<(), Conflict> {
        let writes = cluster.iter().copied().find(|&at| self.access(at).write).unwrap_or(cluster[0]);
        let conflict = |second, why| Conflict { first: writes, second, why };
        // Without what conditions pin down: constants, and factors of the loop variables.
        let mut parts: Vec<(usize, Vec<Form>, Form, Vec<SymbolicDigit>)> = Vec::new();
        for &at in cluster {
            let parted = self.parted(at).ok_or_else(|| conflict(at, Why::Opaque))?;
            parts.push((at, parted.factors, parted.rest, parted.inner));
        }
        let mut digits: Vec<SymbolicDigit> = Vec::new();
        for var in 0..self.par_loop.dims.len() {
            let range = &self.facts.ranges[var];
            let extent = range.extent();
            let steps = extent.as_ref().and_then(Form::literal);
            // A single iteration conflicts with none.
            if steps.is_some_and(|steps| steps <= 0) || self.pinned(cluster, var) {
                continue;
            }
            let factor = &parts[0].1[var];
            if let Some((other, ..)) = parts.iter().find(|(_, factors, ..)| factors[var].value != factor.value) {
                return Err(conflict(if *other == writes { parts[0].0 } else { *other }, Why::Factors));
            }
            if factor.value.is_zero() {
                // It may by an inner loop that begins elsewhere in each iteration.
                let ends = self.found(writes).loops.iter().flat_map(|l| [&l.values.first, &l.values.last]);
                let by_loop = ends.flatten().flat_map(Form::atoms).any(|atom| atom == Atom::Var(var));
                let by_data =
                    self.access(writes).index.iter().flat_map(Form::atoms).any(|a| self.facts.any.contains(&a));
                let depends = by_loop || by_data;
                return Err(conflict(writes, if depends { Why::Opaque } else { Why::Missing(var) }));
            }
            let factor = magnitude(factor);
            let digit = SymbolicDigit::new(
                factor,
                &extent.unwrap_or_else(|| self.unknown(Atom::Var(var))),
                DigitKind::Loop(var),
            );
            let digit = digit.and_then(|digit| digit.in_steps(range.step.as_ref()));
            digits.push(digit.ok_or_else(|| conflict(writes, Why::Distance))?);
        }
        // What inner loops add below the factors of all loop variables only makes each access
        // wider.
        let smallest = digits.iter().map(|digit| digit.factor.clone()).min_by_key(at_sample);
        let least = smallest.as_ref().map_or(i64::MAX, at_sample);
        let mut ends = Vec::new();
        for (_, _, rest, inner) in &mut parts {
            let mut end = Some(rest.clone());
            for digit in inner.extract_if(.., |digit| at_sample(&digit.factor) < least) {
                end = end.and_then(|end| end.add(&digit.span));
            }
            ends.push(end.ok_or_else(|| conflict(writes, Why::Distance))?);
        }
        for (.., inner) in &mut parts {
            for digit in std::mem::take(inner) {
                let known =
                    digits.iter_mut().find(|d| d.kind == DigitKind::Inner && d.factor.value == digit.factor.value);
                match known {
                    Some(known) if at_sample(&known.span) >= at_sample(&digit.span) => {}
                    Some(known) => known.span = digit.span,
                    None => digits.push(digit),
                }
            }
        }
        let rests = parts.iter().map(|(_, _, rest, _)| rest);
        let near = are_near(rests.clone());
        let width = spread(rests.clone(), &ends).ok_or_else(|| conflict(writes, Why::Distance))?;
        let cluster = parts.iter().map(|(at, ..)| *at).collect::<Vec<_>>();
        // Accesses lie in one window below all loop variables, or their distances are digits, too.
        let below = |smallest: Form| smallest.sub(&width).is_some_and(|room| room.is_positive());
        let in_window = near || smallest.is_some_and(below);
        let window = self.radix(digits.clone(), width, &cluster, writes);
        if in_window && window.is_ok() {
            return Ok(());
        }
        let (distances, width) = distances(rests, &ends).ok_or_else(|| conflict(writes, Why::Distance))?;
        digits.extend(distances);
        self.radix(digits, width, &cluster, writes)
            .map_err(|conflict| window.err().filter(|_| near).unwrap_or(conflict))
    }

    /// Rule 3.
    fn radix(
        &self,
        mut digits: Vec<SymbolicDigit>,
        mut width: Form,
        cluster: &[usize],
        writes: usize,
    ) -> Result<(), Conflict> {
        let other = cluster.iter().copied().find(|&at| at != writes).unwrap_or(writes);
        let apart = width.literal() != Some(0);
        let conflict = |why| Conflict { first: writes, second: if apart { other } else { writes }, why };
        // Inner loops first where factors are equal.
        digits.sort_by_key(|digit| (at_sample(&digit.factor), matches!(digit.kind, DigitKind::Loop(_))));
        digits = merged(digits).ok_or_else(|| conflict(Why::Distance))?;
        let mut last: Option<(usize, Form)> = None;
        for digit in digits {
            if let DigitKind::Loop(var) = digit.kind {
                if let Some((other, _)) = last.filter(|(_, factor)| factor.value == digit.factor.value) {
                    return Err(conflict(Why::SameFactor(other, var)));
                }
                last = Some((var, digit.factor.clone()));
            }
            if last.is_some() {
                let Some(room) = digit.factor.sub(&width) else { return Err(conflict(Why::Distance)) };
                match room.literal() {
                    Some(room) if room > 0 => {}
                    Some(_) => return Err(Conflict { first: writes, second: other, why: Why::Distance }),
                    // A distance that only numbers could show to be harmless, or a factor that
                    // never is large enough.
                    None if digit.kind == DigitKind::Distance || never_positive(&room) => {
                        return Err(Conflict { first: writes, second: other, why: Why::Distance });
                    }
                    None => {}
                }
            }
            width = width.add(&digit.span).ok_or_else(|| conflict(Why::Distance))?;
        }
        Ok(())
    }

    /// Whether an index depends on what no launch knows: an element that was loaded. Of a grid,
    /// other components may tell the iterations apart, which is for the launch to decide:
    /// `counts[[row, bin]] += 1`.
    pub(super) fn depends_on_data(&self, at: usize) -> bool {
        let Found { access, components, .. } = self.found(at);
        let mut made_of = BTreeMap::new();
        what_makes(&self.facts.steps, &mut made_of);
        let known = components.iter().filter_map(|component| component.index.as_ref());
        let known: Vec<&Form> = known.filter(|index| !self.is_of_data(&made_of, [*index])).collect();
        let in_one = |var| known.iter().any(|index| index.atoms().any(|atom| atom == Atom::Var(var)));
        if !components.is_empty() && (0..self.par_loop.dims.len()).all(in_one) {
            return false;
        }
        self.is_of_data(&made_of, access.end.iter().flatten().chain(&access.index))
            || access.index.is_none()
            || matches!(access.end, Some(None))
    }

    /// Whether an index depends on what a function returns.
    fn is_called(&self, at: usize) -> bool {
        let mut made_of = BTreeMap::new();
        what_makes(&self.facts.steps, &mut made_of);
        let Access { index, end, .. } = self.access(at);
        let mut atoms: Vec<Atom> = end.iter().flatten().chain(index).flat_map(Form::atoms).collect();
        let mut seen = BTreeSet::new();
        while let Some(atom) = atoms.pop() {
            if self.facts.called.contains(&atom) {
                return true;
            }
            if let Some(Made::Of(forms)) = made_of.get(&atom).filter(|_| seen.insert(atom)) {
                atoms.extend(forms.iter().copied().flat_map(Form::atoms));
            }
        }
        false
    }

    /// Whether an index may be any number, whatever the iteration is. Beside a form of all loop
    /// variables, an element may be small enough to tell nothing:
    /// `counts[256 * i + byte[i] as usize]`. Its type shows that, at the launch.
    fn is_any(&self, at: usize) -> bool {
        let Found { access, .. } = self.found(at);
        let mut made_of = BTreeMap::new();
        what_makes(&self.facts.steps, &mut made_of);
        let atoms = all_atoms(&made_of, access.end.iter().flatten().chain(&access.index));
        let is_element = |atom: &Atom| self.facts.elements.contains(atom);
        let by_elements = atoms.iter().all(|atom| !matches!(made_of.get(atom), Some(Made::OfData)) || is_element(atom));
        let known = access.index.is_some() && !matches!(access.end, Some(None));
        self.depends_on_data(at) && !(known && by_elements && !self.misses_a_variable(at))
    }

    fn is_of_data<'f>(&self, made_of: &BTreeMap<Atom, Made<'_>>, forms: impl IntoIterator<Item = &'f Form>) -> bool {
        all_atoms(made_of, forms).iter().any(|atom| match made_of.get(atom) {
            Some(Made::Of(_)) => false,
            Some(Made::OfData) => true,
            None => self.facts.any.contains(atom),
        })
    }

    /// Whether the index of an access misses a loop variable.
    fn misses_a_variable(&self, at: usize) -> bool {
        (0..self.par_loop.dims.len()).any(|var| self.misses(at, var))
    }

    /// Whether the index of an access has no factor of a loop variable, neither by itself nor by
    /// where inner loops begin, nor is a result of operations on it. Those the launch takes apart.
    pub(super) fn misses(&self, at: usize, var: usize) -> bool {
        let Found { access, loops, .. } = self.found(at);
        let begins = |index: Form, par_loop: &InnerLoop| index.with(par_loop.atom, par_loop.values.first.as_ref()?);
        let Some(index) = access.index.clone().and_then(|i| loops.iter().rev().try_fold(i, begins)) else {
            return false;
        };
        let varies = self.facts.ranges[var].extent().and_then(|extent| extent.literal()) != Some(0);
        let mut made_of = BTreeMap::new();
        what_makes(&self.facts.steps, &mut made_of);
        let has_factor = index.split(Atom::Var(var)).is_none_or(|(factor, _)| !factor.value.is_zero())
            || index.atoms().any(|atom| matches!(atom, Atom::Other(_)))
                && all_atoms(&made_of, [&index]).contains(&Atom::Var(var));
        varies && !has_factor && !self.pinned(&[at], var)
    }

    /// Whether a condition says that a variable is equal to what others make: `if i == j`.
    fn is_tied(&self, at: usize, var: usize) -> bool {
        self.found(at)
            .conditions
            .iter()
            .filter(|c| c.comparison == Comparison::Equal)
            .any(|c| c.lhs.sub(&c.rhs).is_some_and(|way| way.atoms().any(|atom| atom == Atom::Var(var))))
    }

    /// Whether conditions leave a variable one value, the same for all accesses.
    fn pinned(&self, cluster: &[usize], var: usize) -> bool {
        let value = |at: usize| {
            self.found(at).conditions.iter().filter(|c| c.comparison == Comparison::Equal).find_map(|c| {
                let (factor, rest) = c.lhs.sub(&c.rhs)?.split(Atom::Var(var))?;
                (factor.literal()?.saturating_abs() == 1 && is_fixed(&rest)).then(|| rest.mul(&factor))?
            })
        };
        let first = value(cluster[0]);
        first.is_some()
            && cluster.iter().all(|&at| value(at).map(|v| v.value) == first.as_ref().map(|v| v.value.clone()))
    }
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

/// Accesses that may meet, or that others join.
fn clusters(group: &[usize], never_meet: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = group.to_vec();
    let mut clusters = Vec::new();
    while let Some(seed) = left.pop() {
        let mut cluster = vec![seed];
        let mut next = 0;
        while next < cluster.len() {
            let (apart, meet) = left.iter().partition(|&&at| never_meet(cluster[next], at));
            cluster.extend::<Vec<usize>>(meet);
            left = apart;
            next += 1;
        }
        cluster.sort_unstable();
        clusters.push(cluster);
    }
    clusters
}

/// Whether it is at most 0 wherever all atoms are at least 1.
fn never_positive(form: &Form) -> bool {
    Form::constant(1).sub(form).is_some_and(|rest| rest.is_positive())
}
