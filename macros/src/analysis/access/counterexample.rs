//! Two iterations that meet, to show in an error: found by trying small numbers, and evaluated
//! before they are shown.
//!
//! Everything around both accesses has to hold in them. Where an element decides
//! (`if flag[i] > 0`), it can be what it takes if nothing else depends on that element. What is not
//! understood makes no example.
//!
//! The macro does not know types. So a number above [`MOST_NARROW`] is only used where it is a
//! `usize` in any case.
//!
//! An example is one of sizes that nobody may ever use. So there is one only if iterations meet
//! with all the sizes that are tried: otherwise some launch is right, and the launch decides.

use std::collections::{BTreeMap, BTreeSet};

use anabranch_core::facts::{Cast, Component, Polynomial, Term, Value};

use super::sizes::Sizes;
use super::symbols::Symbol;
use super::{Access, Atom, Comparison, Condition, Form, Found, LoopFacts, MOST_NARROW, Operation, Step, Values};
use crate::ir::{CaptureId, ParLoop};

/// Values of an element to try, below these: what an index adds may be a truth, and operations are
/// on numbers.
const BELOW: [i64; 2] = [2, 16];
/// Iterations to try.
const MOST: usize = 4_096;
/// Values of a variable to try: the first ones and the last.
const MOST_VALUES: i64 = 32;
/// So many values of each variable show that iterations do not meet.
const ENOUGH: usize = 6;
/// Iterations to remember that write an element.
const MOST_WRITERS: usize = 4;
/// Pairs of iterations to look at from their beginnings.
const MOST_MEETINGS: usize = 64;

/// Iterations in which the two accesses touch the same element: "with w = 4, (y, x) = (0, 4) writes
/// `x[4]` (line 7), and (y, x) = (1, 0) reads it".
pub(super) fn find(par_loop: &ParLoop, facts: &LoopFacts, first: usize, second: usize) -> Option<String> {
    let mut results = BTreeMap::new();
    collect(&facts.steps, &mut results);
    let trials = Sizes::all(facts, &results, [first, second]);
    let wide = wide(facts, &results);
    let named = named(facts, &results);
    let grids = grids(facts);
    let trial = |sizes| {
        Trial { par_loop, facts, results: &results, wide: &wide, named: &named, grids: &grids, sizes }
            .run(first, second)
    };
    let trials = trials.map(trial);
    let examples: Option<Vec<String>> = trials.flatten().collect();
    examples?.into_iter().next()
}

/// The name of a loop variable, as the user wrote it.
pub(super) fn variable(par_loop: &ParLoop, at: usize) -> String {
    let name = par_loop.body[par_loop.dims[at].var].name.to_string();
    let Some(generated) = name.strip_prefix("_anabranch_") else { return name };
    // The index of a block has no name of its own.
    let (part, block) = match generated.strip_prefix("of_") {
        Some(block) => (String::new(), block),
        None => generated.split_once("_of_").map_or_else(Default::default, |(at, block)| (format!(".{at}"), block)),
    };
    if block.is_empty() || block.starts_with("_anabranch_") { "_".to_owned() } else { format!("{block}{part}") }
}

/// By atoms: the operations that they are the results of.
pub(super) type Results<'a> = BTreeMap<Atom, (Operation, &'a [Form])>;

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

/// The atoms that are `usize`: what indexes are made of without a conversion.
fn wide(facts: &LoopFacts, results: &Results<'_>) -> BTreeSet<Atom> {
    let indexes = facts.accesses.iter().flat_map(|found| {
        let components = found.components.iter().filter_map(|component| component.index.as_ref());
        let own = found.access.index.iter().chain(found.access.end.iter().flatten());
        own.filter(|_| found.components.is_empty()).chain(components)
    });
    let mut forms: Vec<&Form> = indexes.collect();
    let mut wide: BTreeSet<Atom> = facts.accesses.iter().map(|found| found.access.len).collect();
    while let Some(form) = forms.pop() {
        if form.casts.is_empty() {
            for atom in form.atoms().filter(|atom| !facts.converted.contains(atom)) {
                if wide.insert(atom)
                    && let Some((_, operands)) = results.get(&atom)
                {
                    forms.extend(operands.iter());
                }
            }
        }
    }
    wide.retain(|atom| !facts.converted.contains(atom));
    wide
}

/// The atoms of all that is computed.
fn named(facts: &LoopFacts, results: &Results<'_>) -> BTreeSet<Atom> {
    let of_range =
        |values: &Values| [&values.first, &values.last, &values.step].into_iter().flatten().cloned().collect();
    let of_found = |found: &Found| {
        let sides = found.conditions.iter().flat_map(|condition| [condition.lhs.clone(), condition.rhs.clone()]);
        let ends = found.access.end.iter().flatten().chain(&found.access.index).cloned();
        ends.chain(sides).chain(found.loops.iter().flat_map(|inner| of_range(&inner.values))).collect()
    };
    let ranges = facts.ranges.iter().map(of_range);
    let forms = ranges.chain(facts.accesses.iter().map(of_found)).flat_map(|forms: Vec<Form>| forms);
    let operands = results.values().flat_map(|(_, operands)| operands.iter().cloned());
    forms.chain(operands).flat_map(|form| form.atoms().collect::<Vec<_>>()).collect()
}

/// By the lengths of grids: their extents.
fn grids(facts: &LoopFacts) -> BTreeMap<Atom, Vec<Atom>> {
    let extents = |found: &Found| found.components.iter().map(|component| component.len).collect();
    let of_grids = facts.accesses.iter().filter(|found| !found.components.is_empty());
    of_grids.map(|found| (found.access.len, extents(found))).collect()
}

struct Trial<'a> {
    par_loop: &'a ParLoop,
    facts: &'a LoopFacts,
    results: &'a Results<'a>,
    /// The atoms that are `usize` in any case.
    wide: &'a BTreeSet<Atom>,
    /// The atoms that anything is made of. The length of a slice that is none of them is as large
    /// as need be.
    named: &'a BTreeSet<Atom>,
    grids: &'a BTreeMap<Atom, Vec<Atom>>,
    sizes: Sizes,
}

/// Touched of buffers.
type Touched = BTreeSet<(CaptureId, i64)>;

/// The variables of an iteration, and of the inner loops around a place.
type Variables = BTreeMap<Atom, i64>;

impl Trial<'_> {
    fn number(&self, numbers: &Variables, atom: Atom) -> Option<i64> {
        if let Some(known) = numbers.get(&atom) {
            return Some(*known);
        }
        if let Some(extents) = self.grids.get(&atom) {
            return extents
                .iter()
                .try_fold(1i64, |product, extent| product.checked_mul(self.number(numbers, *extent)?));
        }
        match atom {
            Atom::Var(_) => None,
            Atom::Symbol(at) => match self.facts.quotients.get(&atom) {
                Some((whole, by)) => Some(self.natural(whole, numbers)? / by),
                None => Some(self.sizes.of(at)),
            },
            Atom::Other(_) => {
                let (operation, operands) = self.results.get(&atom)?;
                let operands = operands.iter().map(|form| self.natural(form, numbers)).collect::<Option<Vec<_>>>()?;
                result(*operation, &operands)
            }
        }
    }

    fn value(&self, form: &Form, numbers: &Variables) -> Option<i64> {
        form.number(&|atom| self.number(numbers, atom))
    }

    /// A value that the machine has whatever its type is: a negative one, or a large one of a
    /// narrow type, may have wrapped.
    fn natural(&self, form: &Form, numbers: &Variables) -> Option<i64> {
        let is_plain = form.casts.is_empty() && form.size.terms.len() <= 1 && form.size.atoms().count() <= 1;
        let is_wide = is_plain || form.value.atoms().any(|atom| self.wide.contains(atom));
        self.index(form, numbers).filter(|value| is_wide || *value <= MOST_NARROW)
    }

    /// The same of an index, which is a `usize`.
    fn index(&self, form: &Form, numbers: &Variables) -> Option<i64> {
        let number = |sum: &Polynomial<Atom>| sum.number(&|atom| self.number(numbers, atom));
        let holds = |cast: &Cast<Atom>| {
            cast.from == cast.to || number(&cast.value).is_some_and(|value| (0..=MOST_NARROW).contains(&value))
        };
        self.value(form, numbers).filter(|value| *value >= 0 && form.casts.iter().all(holds))
    }

    /// The values of a variable, for each of the numbers so far; none if they are not known.
    fn spread(&self, all: Vec<Variables>, atom: Atom, values: &Values) -> Vec<Variables> {
        let mut next = Vec::new();
        for numbers in all {
            let end = |form: &Option<Form>| {
                let form = form.as_ref()?;
                // Host code is known without its casts.
                let narrow = |value: &i64| values.plain || *value <= MOST_NARROW;
                // A number below 0 may have wrapped, as in `0 - N`.
                let value = form.exact_literal().or_else(|| self.natural(form, &numbers));
                value.filter(|value| *value >= 0 && narrow(value))
            };
            let step = if values.step.is_some() { end(&values.step) } else { Some(1) };
            let (Some(first), Some(last), Some(step)) = (end(&values.first), end(&values.last), step) else { continue };
            if step < 1 || last < first {
                continue;
            }
            let Some(way) = last.checked_sub(first) else { continue };
            let trips = way / step;
            let trips = (0..trips.min(MOST_VALUES)).chain([trips]);
            next.extend(trips.map(|trip| {
                let value = (atom, first + trip * step);
                numbers.iter().map(|(atom, value)| (*atom, *value)).chain([value]).collect::<Variables>()
            }));
        }
        next.truncate(MOST);
        next
    }

    /// Whether two iterations meet, and which ones. `None`: they do not, but these are too few of
    /// them.
    fn run(&self, first: usize, second: usize) -> Option<Option<String>> {
        let (a, b) = (self.facts.accesses.get(first)?, self.facts.accesses.get(second)?);
        // Who comes to them must be known.
        a.guards.as_ref().zip(b.guards.as_ref())?;
        let ranges = self.facts.ranges.iter().enumerate();
        // So must be the step of a range that has one.
        let mut steps = self.par_loop.dims.iter().zip(&self.facts.ranges);
        if steps.any(|(dim, range)| dim.step.is_some() && range.step.is_none()) {
            return None;
        }
        let mut meetings = 0;
        let iterations =
            ranges.fold(vec![Variables::new()], |all, (var, range)| self.spread(all, Atom::Var(var), range));
        let mut writers: BTreeMap<i64, Vec<&Variables>> = BTreeMap::new();
        for numbers in &iterations {
            for element in self.elements(a, numbers) {
                let writers = writers.entry(element).or_default();
                if writers.len() < MOST_WRITERS {
                    writers.push(numbers);
                }
            }
        }
        // The first one that writes an element shows it best.
        let example = [1, MOST_WRITERS].into_iter().find_map(|most| {
            iterations.iter().find_map(|numbers| {
                self.elements(b, numbers).into_iter().find_map(|element| {
                    let mut reaches = |other: &Variables| {
                        meetings += 1;
                        meetings <= MOST_MEETINGS && self.reaches(first, other) && self.reaches(second, numbers)
                    };
                    let meets = |other: &&&Variables| {
                        **other != numbers && self.can_be((a, other), (b, numbers)) && reaches(other)
                    };
                    let other = writers.get(&element)?.iter().take(most).find(meets)?;
                    Some(self.tell(a, b, element, other, numbers))
                })
            })
        });
        let enough = || [a, b].into_iter().all(|found| self.are_enough(found, &iterations));
        if example.is_some() || enough() { Some(example) } else { None }
    }

    /// Whether an access happens with several values of each loop variable, and in bounds, as far
    /// as the length is one of the sizes.
    fn are_enough(&self, found: &Found, iterations: &[Variables]) -> bool {
        let len = found.access.len;
        let ranges = self.facts.ranges.iter().flat_map(|range| [&range.first, &range.last]);
        if ranges.flatten().flat_map(Form::atoms).any(|atom| atom == len) {
            let inside = |element: &i64| self.number(&Variables::new(), len).is_some_and(|len| *element < len);
            if !iterations.iter().all(|numbers| self.elements(found, numbers).iter().all(inside)) {
                return false;
            }
        }
        let touching: Vec<_> = iterations.iter().filter(|numbers| !self.elements(found, numbers).is_empty()).collect();
        self.facts.ranges.iter().enumerate().all(|(var, range)| {
            let values: BTreeSet<_> = touching.iter().filter_map(|numbers| numbers.get(&Atom::Var(var))).collect();
            let extent = range.extent().and_then(|extent| extent.literal());
            values.len() >= ENOUGH || extent.is_some_and(|extent| values.len() as i64 > extent)
        })
    }

    /// The elements that an access touches in an iteration; none if that cannot be said.
    fn elements(&self, found: &Found, numbers: &Variables) -> BTreeSet<i64> {
        let loops = found.loops.iter();
        let all = loops.fold(vec![numbers.clone()], |all, l| self.spread(all, l.atom, &l.values));
        let all = self.loaded(found).into_iter().fold(all, |all, (element, below)| {
            let values =
                Values { first: Some(Form::constant(0)), last: Some(Form::constant(below - 1)), ..Values::default() };
            self.spread(all, element, &values)
        });
        let mut elements = BTreeSet::new();
        for numbers in &all {
            if !found.conditions.iter().all(|condition| self.holds(condition, numbers)) {
                continue;
            }
            let Some(index) = self.place(found, numbers) else { continue };
            let end = match &found.access.end {
                None => index.checked_add(1),
                Some(end) => end.as_ref().and_then(|end| self.index(end, numbers)),
            };
            elements.extend((index..end.unwrap_or(index)).take(64));
        }
        elements
    }

    /// Whether no access before this one, nor itself, is out of bounds for sure: there the
    /// iteration would end.
    fn reaches(&self, at: usize, numbers: &Variables) -> bool {
        let is_outside = |form: &Form, len: Atom, numbers: &Variables, is_end: bool| {
            let Some(value) = self.value(form, numbers) else { return false };
            let len = self.number(numbers, len).filter(|_| self.named.contains(&len));
            value < 0 || len.is_some_and(|len| value > len || value == len && !is_end)
        };
        self.facts.accesses.iter().take(at + 1).all(|found| {
            let all = found.loops.iter().fold(vec![numbers.clone()], |all, l| self.spread(all, l.atom, &l.values));
            let Access { len, index, end, .. } = &found.access;
            let own = Component { len: *len, index: index.clone() };
            let components = if found.components.is_empty() { std::slice::from_ref(&own) } else { &found.components };
            all.iter().all(|numbers| {
                let mut starts = components.iter().filter_map(|of| Some((of.index.as_ref()?, of.len)));
                let start = index.as_ref().and_then(|start| self.value(start, numbers));
                let is_before =
                    |end: &Form| self.value(end, numbers).zip(start).is_some_and(|(end, start)| end < start);
                let fails = |end: &Form| is_outside(end, *len, numbers, true) || is_before(end);
                let end_is_outside = end.iter().flatten().any(fails);
                !found.conditions.iter().all(|condition| self.holds(condition, numbers))
                    || !end_is_outside && !starts.any(|(form, len)| is_outside(form, len, numbers, end.is_some()))
            })
        })
    }

    /// The elements that an index is made of, at most two of them, and below which number their
    /// values are tried.
    fn loaded(&self, found: &Found) -> BTreeMap<Atom, i64> {
        let [added, operand] = BELOW;
        let ends = found.access.end.iter().flatten().chain(&found.access.index);
        let mut atoms: Vec<(Atom, i64)> = ends.flat_map(Form::atoms).map(|atom| (atom, added)).collect();
        let mut loaded = BTreeMap::new();
        while let Some((atom, below)) = atoms.pop() {
            if self.facts.elements.contains(&atom) && loaded.len() < 2 {
                loaded.entry(atom).or_insert(below);
            } else if let Some((_, operands)) = self.results.get(&atom) {
                atoms.extend(operands.iter().flat_map(Form::atoms).map(|atom| (atom, operand)));
            }
        }
        loaded
    }

    /// The place of the first element that an access touches. A grid has none where a component of
    /// the index is out of bounds.
    fn place(&self, found: &Found, numbers: &Variables) -> Option<i64> {
        let in_bounds = |component: &Component<Atom>| {
            let Some(index) = &component.index else { return Some(true) };
            Some(self.index(index, numbers)? < self.number(numbers, component.len)?)
        };
        let touches = found.components.iter().all(|component| in_bounds(component).unwrap_or(false));
        found.access.index.as_ref().filter(|_| touches).and_then(|form| self.index(form, numbers))
    }

    fn holds(&self, condition: &Condition, numbers: &Variables) -> bool {
        let Condition { lhs, comparison, rhs, ty: _ } = condition;
        match (self.natural(lhs, numbers), self.natural(rhs, numbers)) {
            (Some(lhs), Some(rhs)) => match comparison {
                Comparison::Less => lhs < rhs,
                Comparison::LessOrEqual => lhs <= rhs,
                Comparison::Equal => lhs == rhs,
                Comparison::NotEqual => lhs != rhs,
            },
            // Touched decide: see `can_be`.
            _ => !self.loads(condition).is_empty(),
        }
    }

    /// The accesses whose elements a condition depends on.
    fn loads(&self, condition: &Condition) -> BTreeSet<usize> {
        let atoms = condition.lhs.atoms().chain(condition.rhs.atoms());
        atoms.filter_map(|atom| self.facts.loaded.get(&atom)).flatten().copied().collect()
    }

    /// Whether elements can be what both accesses need, each in its iteration: every decision
    /// depends on one that no other does.
    fn can_be(&self, one: (&Found, &Variables), other: (&Found, &Variables)) -> bool {
        let Some((one, other)) = self.decisions(one).zip(self.decisions(other)) else { return false };
        let all: Vec<&Touched> = one.iter().chain(&other).flatten().collect();
        let alone = |elements: &Touched| {
            let met = all.iter().filter(|others| !others.is_disjoint(elements)).count();
            !elements.is_empty() && met == 1
        };
        one.iter().chain(&other).all(|decision| decision.iter().any(alone))
    }

    /// By decisions about an access: the accesses whose elements decide.
    fn decided_by(&self, found: &Found) -> Vec<BTreeSet<usize>> {
        let by_conditions = found.conditions.iter().map(|condition| self.loads(condition));
        let by_conditions = by_conditions.filter(|loads| !loads.is_empty());
        let by_index = self.loaded(found).into_keys().filter_map(|atom| self.facts.loaded.get(&atom).cloned());
        found.guards.iter().flatten().cloned().chain(by_conditions).chain(by_index).collect()
    }

    /// For each decision about an access: what it loads.
    fn decisions(&self, (found, numbers): (&Found, &Variables)) -> Option<Vec<Vec<Touched>>> {
        let load = |at: usize| {
            let load = self.facts.accesses.get(at);
            load.into_iter()
                .flat_map(|load| self.elements(load, numbers).into_iter().map(|element| (load.view(), element)))
                .collect()
        };
        found.guards.as_ref()?;
        Some(self.decided_by(found).into_iter().map(|loads| loads.into_iter().map(load).collect()).collect())
    }

    fn tell(&self, a: &Found, b: &Found, element: i64, one: &Variables, other: &Variables) -> String {
        let vars: Vec<String> = (0..self.par_loop.dims.len()).map(|at| variable(self.par_loop, at)).collect();
        let values = |numbers: &Variables| {
            let values: Vec<String> =
                (0..vars.len()).map(|at| numbers.get(&Atom::Var(at)).copied().unwrap_or(0).to_string()).collect();
            match values.as_slice() {
                [one] => one.clone(),
                many => format!("({})", many.join(", ")),
            }
        };
        let name = match vars.as_slice() {
            [one] => one.clone(),
            many => format!("({})", many.join(", ")),
        };
        let forms = |found: &'_ Found| {
            let sides = found.conditions.iter().flat_map(|condition| [&condition.lhs, &condition.rhs]);
            sides.chain(&found.access.index).flat_map(Form::atoms).collect::<Vec<_>>()
        };
        // One shape instead of its extents.
        let extents: Vec<Atom> = a.components.iter().map(|component| component.len).collect();
        let lens: Vec<String> =
            extents.iter().filter_map(|len| Some(self.number(&Variables::new(), *len)?.to_string())).collect();
        let shape = format!("{}.shape() = [{}]", self.par_loop.body[a.view()].name, lens.join(", "));
        // A larger number in the end of a range only adds iterations, if the end grows with it.
        // `n.min(4)` is never larger; `n / 4` is.
        let is_variable = |atom: &Atom| match atom {
            Atom::Symbol(at) => self.facts.symbols.get(*at).is_some_and(Symbol::is_variable),
            Atom::Var(_) => true,
            Atom::Other(_) => false,
        };
        let of_variables = |of: &Form| {
            let grows = |term: &Term<Atom>| term.factor > 0 && term.atoms.iter().all(is_variable);
            of.value.terms.iter().all(|term| term.atoms.is_empty() || grows(term))
        };
        let is_free = |atom: &Atom| {
            is_variable(atom) || self.facts.quotients.get(atom).is_some_and(|(dividend, _)| of_variables(dividend))
        };
        let grows = |term: &Term<Atom>| term.atoms.is_empty() || term.factor > 0 && term.atoms.iter().all(is_free);
        let loops = [a, b].into_iter().flat_map(|found| found.loops.iter().map(|inner| &inner.values));
        let decides = |values: &'_ Values| {
            let begin = [&values.first, &values.step].into_iter().flatten().flat_map(Form::atoms);
            let end = values.last.iter().flat_map(|last| &last.value.terms).filter(|term| !grows(term));
            begin.chain(end.flat_map(|term| term.atoms.iter().copied())).collect::<Vec<_>>()
        };
        let of_ranges = self.facts.ranges.iter().chain(loops).flat_map(decides);
        let mut used: Vec<Atom> = [a, b].into_iter().flat_map(forms).chain(of_ranges).collect();
        let mut next = 0;
        while let Some(atom) = used.get(next) {
            if let Some((_, operands)) = self.results.get(atom) {
                used.extend(operands.iter().flat_map(Form::atoms));
            }
            next += 1;
        }
        let mut sizes: Vec<String> = used
            .into_iter()
            .filter_map(|atom| match atom {
                Atom::Symbol(at) if !extents.contains(&atom) => {
                    let number = self.number(&Variables::new(), atom)?;
                    Some(format!("{} = {number}", self.facts.symbols.get(at)?.name))
                }
                Atom::Symbol(_) | Atom::Var(_) | Atom::Other(_) => None,
            })
            .chain((!lens.is_empty()).then_some(shape))
            .collect();
        sizes.sort_unstable();
        sizes.dedup();
        // What an element must be, or that it must be different, is not worked out.
        let loads = [a, b].into_iter().flat_map(|found| self.decided_by(found)).flatten();
        let loads = loads.filter_map(|at| Some(&self.par_loop.body[self.facts.accesses.get(at)?.view()].name));
        let data: BTreeSet<String> = loads.map(|view| format!("`{view}`")).collect();
        let data = data.into_iter().reduce(|all, view| format!("{all} and {view}"));
        let sizes = Some(sizes.join(", ")).filter(|sizes| !sizes.is_empty());
        let with = sizes.into_iter().chain(data.map(|views| format!("some values in {views}")));
        let with = with
            .reduce(|sizes, data| format!("{sizes} and {data}"))
            .map_or_else(String::new, |all| format!("with {all}, "));
        let (one, other) = (values(one), values(other));
        let element = format!("{}[{}]", self.par_loop.body[a.view()].name, self.index_of(a, element));
        if std::ptr::eq(a, b) {
            return format!("{with}{name} = {one} and {name} = {other} both write `{element}`");
        }
        let (line, verb) = (a.span.start().line, if b.access.write { "writes it, too" } else { "reads it" });
        format!("{with}{name} = {one} writes `{element}` (line {line}), and {name} = {other} {verb}")
    }
}

impl Trial<'_> {
    /// The index of an element, by its place in the buffer.
    fn index_of(&self, found: &Found, place: i64) -> String {
        let (mut place, mut index) = (place, Vec::new());
        for component in found.components.iter().rev() {
            let extent = self.number(&Variables::new(), component.len).unwrap_or(1);
            index.insert(0, (place % extent).to_string());
            place /= extent;
        }
        if index.is_empty() { place.to_string() } else { format!("[{}]", index.join(", ")) }
    }
}

/// The result of an operation on numbers that are not negative.
fn result(operation: Operation, operands: &[i64]) -> Option<i64> {
    match (operation, operands) {
        (Operation::Mul, [a, b]) => a.checked_mul(*b),
        (Operation::Div, [a, b]) => a.checked_div(*b),
        (Operation::Rem | Operation::RemEuclid, [a, b]) => a.checked_rem(*b),
        (Operation::And, [a, b]) => Some(a & b),
        (Operation::Or, [a, b]) => Some(a | b),
        (Operation::Xor, [a, b]) => Some(a ^ b),
        (Operation::Shr, [a, b]) => a.checked_shr(u32::try_from(*b).ok()?),
        (Operation::Min, [a, b]) => Some(*a.min(b)),
        (Operation::Max, [a, b]) => Some(*a.max(b)),
        (Operation::Clamp, [a, lo, hi]) if lo <= hi => Some(*a.clamp(lo, hi)),
        // Of a signed type it is negative, of an unsigned one 0.
        (Operation::SaturatingSub, [a, b]) => a.checked_sub(*b).filter(|rest| *rest >= 0),
        (Operation::SaturatingAdd, [a, b]) => a.checked_add(*b),
        (Operation::AbsDiff, [a, b]) => Some((a - b).abs()),
        _ => None,
    }
}
