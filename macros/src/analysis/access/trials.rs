//! Launches with sample numbers: what a launch decides, the macro decides with these.
//!
//! The macro does not know types. So a number is one of [`IntType::ANY`], and of
//! [`IntType::ANY_WIDE`] where it is a `usize` in any case.

use std::collections::{BTreeMap, BTreeSet};

use anabranch_core::decide::{self, Axis, Elements, Example, Loaded, Numbers, Refusal, Visit};
use anabranch_core::facts::{Cast, Facts, Polynomial, Value};
use anabranch_core::scalar::IntType;

use super::sizes::Sizes;
use super::widths::{wide, wide_slots};
use super::{Atom, Condition, Form, Found, LoopFacts, MOST_NARROW, Operation, Step, Values, told};
use crate::ir::ParLoop;

/// So many values of each variable show that iterations do not meet.
const ENOUGH: usize = 6;
/// Values of a variable that are run: the first ones and the last.
const MOST_VALUES: u64 = 32;
/// Iterations that are run.
const MOST_ITERATIONS: usize = 4_096;
/// Steps of them.
const MOST_STEPS: usize = 100_000;
/// The length of a slice that nothing is made of: as large as need be.
const ANY_LENGTH: i64 = 1 << 40;

/// By atoms: the operations that they are the results of.
pub(super) type Results<'a> = BTreeMap<Atom, (Operation, &'a [Form])>;

/// The trials of some accesses of one buffer.
pub(super) struct Trials<'a> {
    pub(super) par_loop: &'a ParLoop,
    pub(super) facts: &'a LoopFacts,
    pub(super) results: Results<'a>,
    sizes: [Vec<Sizes>; 3],
    /// What the launch would decide.
    told: Facts,
    /// The same with all that an iteration does.
    run: Facts,
    /// The same, of the accesses whose elements decide.
    loads: Facts,
    /// The slots of types that are `usize` in any case.
    wide: BTreeSet<usize>,
    /// The atoms that are `usize` in any case.
    wide_atoms: BTreeSet<Atom>,
    /// The numbers of the atoms that depend on elements, and of those that are elements.
    loaded: BTreeSet<usize>,
    elements: BTreeSet<usize>,
    /// The values of elements to try: what an index adds may be a truth, and operations are on
    /// numbers.
    samples: Vec<i128>,
    /// The atoms that anything is made of.
    named: BTreeSet<Atom>,
}

/// The numbers of one.
pub(super) struct Trial {
    /// The loop has too few iterations to show that they do not meet.
    pub(super) is_small: bool,
    axes: Vec<Axis>,
    symbols: Vec<Option<i128>>,
}

impl Trial {
    /// What a host value is.
    pub(super) fn symbol(&self, at: usize) -> Option<i128> {
        self.symbols.get(at).copied().flatten()
    }
}

impl<'a> Trials<'a> {
    pub(super) fn of(par_loop: &'a ParLoop, facts: &'a LoopFacts, group: &'a [usize]) -> Self {
        let vars = par_loop.dims.len();
        let mut results = BTreeMap::new();
        collect(&facts.steps, &mut results);
        let told = told::of_races(facts, vars, group, false).0;
        let (mut run, numbers) = told::of_races(facts, vars, group, true);
        for (access, found) in run.accesses.iter_mut().zip(&facts.accesses) {
            access.known = found.guards.is_some();
        }
        let decide: BTreeSet<usize> =
            group.iter().flat_map(|&at| decided_by(facts, &results, &facts.accesses[at])).flatten().collect();
        let mut loads = Facts { races: vec![decide.into_iter().collect()], ..run.clone() };
        loads.accesses.iter_mut().for_each(|access| access.known = true);
        let wide_atoms = wide(facts);
        let mut slots = BTreeSet::new();
        wide_slots(&facts.steps, &wide_atoms, &mut slots);
        Self {
            par_loop,
            facts,
            sizes: Sizes::all(facts, &results, group, &wide_atoms),
            told,
            run,
            loads,
            wide: slots,
            wide_atoms,
            loaded: facts.loaded.keys().filter_map(|atom| numbers.get(atom).copied()).collect(),
            elements: facts.elements.iter().filter_map(|atom| numbers.get(atom).copied()).collect(),
            samples: samples(facts, &results, group),
            named: named(facts, &results),
            results,
        }
    }

    pub(super) fn all(&self) -> Vec<Trial> {
        self.sizes[0].iter().filter_map(|sizes| self.with(sizes)).collect()
    }

    /// Many more, by chance, to see whether some launch is right.
    pub(super) fn drawn(&self) -> impl Iterator<Item = Trial> {
        self.sizes[1].iter().filter_map(|sizes| self.with(sizes))
    }

    /// With any numbers.
    pub(super) fn wild(&self) -> impl Iterator<Item = Trial> {
        self.sizes[2].iter().filter_map(|sizes| self.with(sizes))
    }

    /// Whether the launch would refuse this one, and for which accesses.
    pub(super) fn refusal(&self, trial: &Trial) -> Option<[usize; 2]> {
        match self.numbers(trial, |numbers| decide::decide(&self.told, numbers)) {
            Err(Refusal::Overlap { first, second }) => Some([first, second]),
            Err(Refusal::OutOfBounds { .. } | Refusal::OverlapInPhase { .. }) | Ok(_) => None,
        }
    }

    /// Two iterations that meet.
    pub(super) fn example(&self, trial: &Trial) -> Option<Example> {
        let can_be = |pair: [Visit<'_>; 2]| self.can_be(trial, pair);
        let loaded = Loaded { elements: self.elements(0), samples: &self.samples, can_be: &can_be };
        let refusal = Refusal::Overlap { first: 0, second: 0 };
        let example =
            self.numbers(trial, |numbers| decide::example_with(&self.run, numbers, refusal, Some(&loaded)))?;
        let Example { accesses: [first, _], .. } = example;
        match self.facts.accesses[first].access.write {
            true => Some(example),
            false => {
                let ([one, other], [first, second]) = (example.pair, example.accesses);
                Some(Example { pair: [other, one], accesses: [second, first], ..example })
            }
        }
    }

    /// Whether each of two accesses happens with several values of each loop variable. That is not
    /// known without fuel.
    pub(super) fn is_enough(&self, trial: &Trial, accesses: [usize; 2], fuel: &mut usize) -> bool {
        let mut values: BTreeMap<usize, Vec<BTreeSet<i128>>> = BTreeMap::new();
        for iteration in iterations(&trial.axes) {
            let touched =
                |numbers: &Numbers<'_>| decide::touched(&self.run, numbers, &iteration, Some(self.elements(0)), fuel);
            for touch in self.numbers(trial, touched) {
                let values = values.entry(touch.access).or_insert_with(|| vec![BTreeSet::new(); iteration.len()]);
                values.iter_mut().zip(&iteration).for_each(|(values, value)| {
                    values.insert(*value);
                });
            }
        }
        *fuel == 0
            || accesses.iter().all(|at| {
                let counts = values.get(at).into_iter().flatten().zip(&trial.axes);
                values.contains_key(at)
                    && counts.into_iter().all(|(values, axis)| values.len() >= ENOUGH.min(axis.trips as usize))
            })
    }

    fn elements(&self, sample: i128) -> Elements<'_> {
        Elements { free: &self.loaded, sampled: &self.elements, sample }
    }

    fn numbers<R>(&self, trial: &Trial, then: impl FnOnce(&Numbers<'_>) -> R) -> R {
        let types = |slot: usize| Some(if self.wide.contains(&slot) { IntType::ANY_WIDE } else { IntType::ANY });
        then(&Numbers { blocks: &[], axes: &trial.axes, symbols: &trial.symbols, types: &types })
    }

    fn with(&self, sizes: &Sizes) -> Option<Trial> {
        let dims = self.par_loop.dims.iter().zip(&self.facts.ranges);
        let axes = dims.map(|(dim, range)| {
            // The step of a range that has one must be known.
            let step = if dim.step.is_some() { self.end(sizes, range, range.step.as_ref()?)? } else { 1 };
            let [first, last] = [&range.first, &range.last].map(|end| self.end(sizes, range, end.as_ref()?));
            let (first, last) = (first?, last?);
            let trips = u64::try_from(last.checked_sub(first)?).ok()?.checked_div(u64::try_from(step).ok()?)? + 1;
            let is_whole = range.extent().is_some_and(|extent| extent.literal().is_some());
            let axis = Axis { lo: first.into(), step: step.into(), trips };
            Some((axis, !is_whole && trips < ENOUGH as u64))
        });
        let axes: Vec<(Axis, bool)> = axes.collect::<Option<_>>()?;
        let is_small = axes.iter().any(|(_, is_small)| *is_small);
        let symbols = 0..self.facts.symbols.len();
        let symbol = |at| self.number(sizes, Atom::Symbol(at)).map(i128::from);
        Some(Trial {
            is_small,
            axes: axes.into_iter().map(|(axis, _)| axis).collect(),
            symbols: symbols.map(symbol).collect(),
        })
    }

    /// An end of a range, or its step.
    fn end(&self, sizes: &Sizes, range: &Values, form: &Form) -> Option<i64> {
        // A number below 0 may have wrapped, as in `0 - N`.
        let value = form.exact_literal().or_else(|| self.natural(sizes, form));
        // Host code is known without its casts.
        value.filter(|value| *value >= 0 && (range.plain || *value <= MOST_NARROW))
    }

    fn number(&self, sizes: &Sizes, atom: Atom) -> Option<i64> {
        let Atom::Symbol(at) = atom else { return None };
        if let Some(extents) = self.facts.grids.get(&atom) {
            return extents.iter().try_fold(1i64, |product, extent| product.checked_mul(self.number(sizes, *extent)?));
        }
        if let Some((whole, by)) = self.facts.quotients.get(&atom) {
            return self.natural(sizes, whole)?.checked_div(*by);
        }
        let is_length =
            self.facts.accesses.iter().any(|found| found.access.strides.is_empty() && found.access.len == atom);
        Some(match (is_length, self.named.contains(&atom)) {
            (true, false) => ANY_LENGTH,
            (true, true) => sizes.length(at),
            (false, _) => sizes.of(at),
        })
    }

    /// A value that the machine has whatever its type is: a negative one, or a large one of a
    /// narrow type, may have wrapped.
    fn natural(&self, sizes: &Sizes, form: &Form) -> Option<i64> {
        let number = |sum: &Polynomial<Atom>| sum.number(&|atom| self.number(sizes, atom));
        let is_plain = form.casts.is_empty() && form.size.terms.len() <= 1 && form.size.atoms().count() <= 1;
        let is_wide = is_plain || form.value.atoms().any(|atom| self.wide_atoms.contains(atom));
        let holds = |cast: &Cast<Atom>| {
            cast.from == cast.to || number(&cast.value).is_some_and(|value| (0..=MOST_NARROW).contains(&value))
        };
        number(&form.value)
            .filter(|value| *value >= 0 && (is_wide || *value <= MOST_NARROW) && form.casts.iter().all(holds))
    }

    /// Whether elements can be what both accesses need, each in its iteration: every decision
    /// depends on one that no other does.
    fn can_be(&self, trial: &Trial, pair: [Visit<'_>; 2]) -> bool {
        /// Elements of buffers.
        type Elements = BTreeSet<(usize, Vec<i128>)>;
        let mut decisions: Vec<Vec<Elements>> = Vec::new();
        for (at, iteration) in pair {
            let decided_by = decided_by(self.facts, &self.results, &self.facts.accesses[at]);
            if decided_by.is_empty() {
                continue;
            }
            let mut fuel = MOST_STEPS;
            let touched = self.numbers(trial, |numbers| {
                decide::touched(&self.loads, numbers, iteration, Some(self.elements(0)), &mut fuel)
            });
            let loaded = |load: usize| {
                let elements = touched.iter().filter(|touch| touch.access == load);
                elements.map(|touch| (self.facts.accesses[load].access.view, touch.element.clone())).collect()
            };
            decisions.extend(decided_by.into_iter().map(|loads| loads.into_iter().map(loaded).collect()));
        }
        let alone = |elements: &Elements| {
            let met = decisions.iter().flatten().filter(|others| !others.is_disjoint(elements)).count();
            !elements.is_empty() && met == 1
        };
        decisions.iter().all(|decision| decision.iter().any(alone))
    }
}

/// By decisions about an access: the accesses whose elements decide.
pub(super) fn decided_by(facts: &LoopFacts, results: &Results<'_>, found: &Found) -> Vec<BTreeSet<usize>> {
    let loads = |condition: &Condition| -> BTreeSet<usize> {
        let atoms = condition.lhs.atoms().chain(condition.rhs.atoms());
        atoms.filter_map(|atom| facts.loaded.get(&atom)).flatten().copied().collect()
    };
    let by_conditions = found.conditions.iter().map(loads).filter(|loads| !loads.is_empty());
    let by_index = indexed(facts, results, found).into_keys().filter_map(|atom| facts.loaded.get(&atom).cloned());
    found.guards.iter().flatten().cloned().chain(by_conditions).chain(by_index).collect()
}

/// The elements that an index is made of, and whether it adds them as they are.
fn indexed(facts: &LoopFacts, results: &Results<'_>, found: &Found) -> BTreeMap<Atom, bool> {
    let mut atoms: Vec<(Atom, bool)> = found.access.forms().flat_map(Form::atoms).map(|atom| (atom, true)).collect();
    let mut indexed = BTreeMap::new();
    while let Some((atom, is_added)) = atoms.pop() {
        if facts.elements.contains(&atom) {
            *indexed.entry(atom).or_insert(is_added) |= is_added;
        } else if let Some((_, operands)) = results.get(&atom) {
            atoms.extend(operands.iter().flat_map(Form::atoms).map(|atom| (atom, false)));
        }
    }
    indexed
}

fn samples(facts: &LoopFacts, results: &Results<'_>, group: &[usize]) -> Vec<i128> {
    let indexed = group.iter().flat_map(|&at| indexed(facts, results, &facts.accesses[at]).into_values());
    let below = indexed.map(|is_added| if is_added { 2 } else { 16 }).min().unwrap_or(1);
    (0..below).collect()
}

fn collect<'a>(steps: &'a [Step], results: &mut Results<'a>) {
    for step in steps {
        match step {
            Step::Let { atom, value: Value { operation, operands, ty: _, narrow: _ } } => {
                results.insert(*atom, (*operation, operands.as_slice()));
            }
            Step::For { body, .. } | Step::When { body, conditions: _ } => collect(body, results),
            Step::Declare { .. } | Step::Join { .. } | Step::Access(_) | Step::Call(_) => {}
        }
    }
}

/// The atoms of all that is computed.
fn named(facts: &LoopFacts, results: &Results<'_>) -> BTreeSet<Atom> {
    let of_range =
        |values: &Values| [&values.first, &values.last, &values.step].into_iter().flatten().cloned().collect();
    let of_found = |found: &Found| {
        let sides = found.conditions.iter().flat_map(|condition| [condition.lhs.clone(), condition.rhs.clone()]);
        found
            .access
            .forms()
            .cloned()
            .chain(sides)
            .chain(found.loops.iter().flat_map(|inner| of_range(&inner.values)))
            .collect()
    };
    let ranges = facts.ranges.iter().map(of_range);
    let forms = ranges.chain(facts.accesses.iter().map(of_found)).flat_map(|forms: Vec<Form>| forms);
    let operands = results.values().flat_map(|(_, operands)| operands.iter().cloned());
    let divided = facts.quotients.values().map(|(whole, _)| whole.clone());
    forms.chain(operands).chain(divided).flat_map(|form| form.atoms().collect::<Vec<_>>()).collect()
}

/// Iterations of a box: the first values of each variable, and the last.
fn iterations(axes: &[Axis]) -> Vec<Vec<i128>> {
    axes.iter().fold(vec![Vec::new()], |all, axis| {
        let trips =
            || (0..axis.trips.min(MOST_VALUES)).chain(axis.trips.checked_sub(1).filter(|last| *last >= MOST_VALUES));
        let value = |trip: u64| axis.lo + axis.step * i128::from(trip);
        let next = all.iter().flat_map(|one| trips().map(|trip| [one.as_slice(), &[value(trip)]].concat()));
        next.take(MOST_ITERATIONS).collect()
    })
}
