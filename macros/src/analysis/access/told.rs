//! The facts that the launch gets: only what it decides, with numbers for atoms.

use std::collections::{BTreeMap, BTreeSet};

use anabranch_core::facts::{self, Access, Argument, Component, Facts, Member, Source, Value};
use anabranch_core::limits::{MAX_ATOMS, MAX_NESTING};

use super::extract::PhaseFacts;
use super::{Atom, Form, Found, LoopFacts, Step, Symbols, bounds};
use crate::ir::SlotId;

/// The facts for the launch of a loop with `vars` variables.
pub(super) fn of(facts: &mut LoopFacts, vars: usize) -> Facts {
    let mut told = tell(facts, vars, true);
    told.phases = facts.phases.iter().map(|phase| of_phase(phase, facts, vars)).collect();
    if told.atoms > MAX_ATOMS || told.depth() > MAX_NESTING {
        let phases = std::mem::take(&mut told.phases);
        // Everything is checked on the device, in 64 bits, and the launch decides races alone.
        facts.decided.clear();
        facts.info.indexing.clear();
        facts.info.counted.clear();
        facts.info.plain.clear();
        facts.info.calls.clear();
        facts.info.compared.clear();
        told = tell(facts, vars, false);
        told.phases = phases;
    }
    if told.depth() > MAX_NESTING {
        // The launch refuses facts with too many atoms. It must not follow deeper steps.
        (told.atoms, told.steps) = (MAX_ATOMS + 1, Vec::new());
    }
    told
}

/// What is told of a phase: its variables come after the indexes of the block, then all symbols of
/// the loop.
fn of_phase(phase: &PhaseFacts, of_loop: &LoopFacts, blocks: usize) -> facts::Phase {
    let PhaseFacts { facts, trips, line } = phase;
    let vars = blocks + trips.len();
    let wanted = Wanted { vars, sizes: false, which: Which::Decided, symbols: &of_loop.symbols, all_symbols: true };
    let known: Vec<Form> = trips.iter().flatten().cloned().collect();
    let (told, forms, _) = tell_all(facts, &facts.races, &wanted, &known);
    let mut forms = forms.into_iter();
    let trips = trips.iter().map(|trips| trips.as_ref().and_then(|_| forms.next())).collect();
    facts::Phase { trips, facts: told, line: *line }
}

/// What is told of a device function.
pub(super) struct Told {
    pub(super) facts: Facts,
    pub(super) result: Option<facts::Form>,
    /// As in `FunctionFacts`.
    pub(super) needs: u64,
    pub(super) calls: Vec<(SlotId, u64, Vec<u64>)>,
}

/// The facts of a device function for the launches of its callers, and what it returns.
pub(super) fn of_function(facts: &mut LoopFacts, result: Option<&Form>) -> Told {
    let of_body = |facts: &LoopFacts, sizes: bool| {
        let wanted = Wanted { vars: 0, sizes, which: Which::Decided, symbols: &facts.symbols, all_symbols: false };
        let more = result.map(std::slice::from_ref).unwrap_or_default();
        let (told, mut forms, _) = tell_all(facts, &facts.races, &wanted, more);
        (told, forms.pop())
    };
    let (mut told, mut form) = of_body(facts, true);
    if told.atoms > MAX_ATOMS || told.depth() > MAX_NESTING {
        facts.decided.clear();
        facts.info.indexing.clear();
        facts.info.counted.clear();
        facts.info.plain.clear();
        facts.info.calls.clear();
        (told, form) = of_body(facts, false);
    }
    if told.atoms > MAX_ATOMS || told.depth() > MAX_NESTING {
        (told, form) = (Facts::default(), None);
    }
    let (needs, calls) = needs(facts);
    Told { facts: told, result: form, needs, calls }
}

/// The parameters on which the accesses of a function depend, and those on which the arguments of
/// its calls do.
fn needs(facts: &LoopFacts) -> (u64, Vec<(SlotId, u64, Vec<u64>)>) {
    let mut made_of: BTreeMap<Atom, Vec<&Form>> = BTreeMap::new();
    let mut calls: Vec<&facts::Call<Atom>> = Vec::new();
    what_makes(&facts.steps, &mut made_of, &mut calls);
    let bit = |number: usize| u32::try_from(number).ok().and_then(|number| 1u64.checked_shl(number)).unwrap_or(0);
    let params = |forms: Vec<&Form>| {
        let (mut bits, mut seen) = (0, BTreeSet::new());
        let mut atoms: Vec<Atom> = forms.into_iter().flat_map(Form::atoms).collect();
        while let Some(atom) = atoms.pop() {
            if !seen.insert(atom) {
                continue;
            }
            if let Atom::Symbol(at) = atom
                && let Some(Source::Capture(param, _)) = facts.symbols.get(at).and_then(|symbol| symbol.source.as_ref())
            {
                bits |= bit(*param);
            }
            atoms.extend(made_of.get(&atom).into_iter().flatten().flat_map(|form| form.atoms()));
        }
        bits
    };
    let decided = facts.decided.values().filter_map(|at| facts.accesses.get(*at));
    let own = decided.fold(0, |all, found| all | bit(found.access.view) | params(found.access.forms().collect()));
    let of_calls = calls.into_iter().filter(|call| facts.info.calls.contains_key(&SlotId(call.callee))).map(|call| {
        let of_arg = |arg: &Argument<Atom>| match arg {
            Argument::Value(form) => params(vec![form]),
            Argument::Elements(at) => facts
                .accesses
                .get(*at)
                .map_or(0, |found| bit(found.access.view) | params(found.access.forms().collect())),
            Argument::Other => 0,
        };
        (SlotId(call.callee), call.unlimited, call.args.iter().map(of_arg).collect())
    });
    (own, of_calls.collect())
}

fn what_makes<'f>(
    steps: &'f [Step],
    made_of: &mut BTreeMap<Atom, Vec<&'f Form>>,
    calls: &mut Vec<&'f facts::Call<Atom>>,
) {
    for step in steps {
        match step {
            Step::Let { atom, value } => made_of.entry(*atom).or_default().extend(&value.operands),
            Step::Join { atom, value, .. } => made_of.entry(*atom).or_default().push(value),
            Step::For { atom, start, end, body, .. } => {
                made_of.entry(*atom).or_default().extend([start, end]);
                what_makes(body, made_of, calls);
            }
            Step::When { body, .. } => what_makes(body, made_of, calls),
            Step::Call(call) => {
                made_of.entry(call.result).or_default().extend(call.forms());
                calls.push(call);
            }
            Step::Declare { .. } | Step::Access(_) => {}
        }
    }
}

fn tell(facts: &LoopFacts, vars: usize, sizes: bool) -> Facts {
    let all_symbols = !facts.phases.is_empty();
    let wanted = Wanted { vars, sizes, which: Which::Decided, symbols: &facts.symbols, all_symbols };
    tell_all(facts, &facts.races, &wanted, &[]).0
}

/// What a launch would be told of the races among some accesses, and nothing of bounds, with all
/// symbols; and the numbers of atoms. `all`: with all accesses that an iteration makes.
pub(super) fn of_races(facts: &LoopFacts, vars: usize, group: &[usize], all: bool) -> (Facts, BTreeMap<Atom, usize>) {
    let which = if all { Which::All } else { Which::Races };
    let wanted = Wanted { vars, sizes: false, which, symbols: &facts.symbols, all_symbols: true };
    let (told, _, numbers) = tell_all(facts, &[group.to_vec()], &wanted, &[]);
    (told, numbers)
}

/// Which accesses are told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    /// Those of which the launch decides something.
    Decided,
    /// Those that are compared.
    Races,
    All,
}

/// What facts are to be told.
struct Wanted<'w> {
    /// Number of variables.
    vars: usize,
    /// Without, one atom that nothing defines takes the place of lengths and strides that no race
    /// depends on. So the launch takes none of them for short.
    sizes: bool,
    which: Which,
    symbols: &'w Symbols,
    /// All symbols are told, which a loop and its phases have in common.
    all_symbols: bool,
}

/// The facts, some more forms, and the numbers of atoms.
fn tell_all(
    facts: &LoopFacts,
    races: &[Vec<usize>],
    wanted: &Wanted<'_>,
    more: &[Form],
) -> (Facts, Vec<facts::Form>, BTreeMap<Atom, usize>) {
    let Wanted { vars, sizes, which, symbols, all_symbols } = *wanted;
    let decided = |at: usize| which == Which::Decided && facts.decided.values().any(|decided| *decided == at);
    let is_compared = |at: usize| races.iter().any(|group| group.contains(&at));
    let told: Vec<bool> =
        (0..facts.accesses.len()).map(|at| which == Which::All || decided(at) || is_compared(at)).collect();
    let no_calls = BTreeMap::new();
    let symbols_of_all = (0..if all_symbols { symbols.len() } else { 0 }).map(Atom::Symbol);
    let atoms = (0..vars).map(Atom::Var).chain(symbols_of_all).collect();
    let mut kept = Kept {
        calls: if which == Which::Decided { &facts.info.calls } else { &no_calls },
        told: &told,
        accesses: &facts.accesses,
        lends: BTreeSet::new(),
        atoms,
        indexing: BTreeSet::new(),
    };
    let accesses = || facts.accesses.iter().map(|found| &found.access).enumerate();
    for (at, access) in accesses() {
        // Whatever is left to the device is compared with its lengths.
        if sizes || told[at] {
            kept.atoms.extend(access.components().map(|(len, _)| *len));
        }
        if sizes {
            kept.atoms.extend(&access.strides);
        }
        let indexes = || access.components().filter_map(|(_, index)| index);
        if told[at] {
            kept.needs(indexes().chain(access.end.iter().flatten()));
        }
        if decided(at) {
            kept.indexing.extend(indexes().flat_map(Form::atoms));
        }
    }
    if sizes && let Some(compares) = facts.compares {
        kept.atoms.insert(compares);
        kept.indexing.insert(compares);
    }
    kept.needs(more);
    let steps = kept.useful(facts.steps.clone());
    let Kept { atoms, lends, .. } = kept;
    // Variables, symbols, others: the order of atoms.
    let numbers: BTreeMap<Atom, usize> = atoms.into_iter().zip(0..).collect();
    let number = |atom: &Atom| numbers.get(atom).copied().unwrap_or(numbers.len());
    let source = |atom: &Atom| match atom {
        Atom::Symbol(at) => {
            symbols.get(*at)?.source.clone().or_else(|| Some(Source::Constant(Vec::new(), Member::default())))
        }
        Atom::Var(_) | Atom::Other(_) => None,
    };
    let told = |at: usize| told[at] || lends.contains(&at);
    let access = |(at, access): (usize, &Access<Atom>)| {
        let (access, decided) = (access.map(&number), decided(at));
        let component = |Component { len, index }| Component { len, index: index.filter(|_| told(at)) };
        Access {
            index: access.index.filter(|_| told(at)),
            more: access.more.into_iter().map(component).collect(),
            end: access.end.map(|end| end.filter(|_| told(at))),
            decided,
            proved: decided && bounds::is_proved(facts, &facts.accesses[at]),
            ..access
        }
    };
    let facts = Facts {
        atoms: numbers.len() + usize::from(!sizes),
        sources: numbers.keys().filter_map(source).collect(),
        steps: steps.iter().map(|step| step.map(&number)).collect(),
        accesses: accesses().map(access).collect(),
        races: races.to_vec(),
        phases: Vec::new(),
    };
    (facts, more.iter().map(|form| form.map(&number)).collect(), numbers)
}

/// What accesses depend on.
struct Kept<'t> {
    /// The functions that are told what the launch shows.
    calls: &'t BTreeMap<SlotId, u64>,
    accesses: &'t [Found],
    /// Accesses that lend elements to functions.
    lends: BTreeSet<usize>,
    /// Whether the launch decides something of an access.
    told: &'t [bool],
    atoms: BTreeSet<Atom>,
    /// The atoms that index arithmetic computes with.
    indexing: BTreeSet<Atom>,
}

impl Kept<'_> {
    fn needs<'f>(&mut self, forms: impl IntoIterator<Item = &'f Form>) {
        self.atoms.extend(forms.into_iter().flat_map(Form::atoms));
    }

    /// Keeps the steps that an access depends on. It walks backwards, because a value is defined
    /// before its use.
    fn useful(&mut self, steps: Vec<Step>) -> Vec<Step> {
        let mut kept: Vec<Step> = steps.into_iter().rev().filter_map(|step| self.step(step)).collect();
        kept.reverse();
        kept
    }

    fn step(&mut self, mut step: Step) -> Option<Step> {
        match &mut step {
            Step::Let { atom, value: Value { operands, narrow, .. } } => {
                if !self.atoms.contains(atom) {
                    return None;
                }
                *narrow &= self.indexing.contains(atom);
                if *narrow {
                    self.indexing.extend(operands.iter().flat_map(Form::atoms));
                }
                self.needs(&*operands);
            }
            Step::Declare { atom } => return self.atoms.contains(atom).then_some(step),
            Step::Join { atom, value, .. } => {
                if !self.atoms.contains(atom) {
                    return None;
                }
                self.needs([&*value]);
            }
            Step::Access(at) => return self.told[*at].then_some(step),
            Step::Call(call) => {
                call.decides &= self.calls.contains_key(&SlotId(call.callee));
                if !call.decides && !self.atoms.contains(&call.result) {
                    return None;
                }
                self.atoms.insert(call.result);
                self.needs(call.forms());
                for arg in &mut call.args {
                    match arg {
                        Argument::Elements(at) if call.decides => {
                            let access = &self.accesses[*at].access;
                            self.lends.insert(*at);
                            self.atoms.extend(access.components().map(|(len, _)| *len));
                            self.needs(access.forms());
                        }
                        // Its length, if that is all.
                        Argument::Elements(_) => *arg = Argument::Other,
                        Argument::Value(_) | Argument::Other => {}
                    }
                }
            }
            Step::For { atom, start, end, step: by, body, .. } => {
                *body = self.useful(std::mem::take(body));
                if body.is_empty() {
                    return None;
                }
                self.atoms.insert(*atom);
                self.needs([&*start, &*end].into_iter().chain(by.as_ref()));
            }
            Step::When { conditions, body } => {
                *body = self.useful(std::mem::take(body));
                if body.is_empty() {
                    return None;
                }
                conditions.iter().for_each(|condition| self.needs([&condition.lhs, &condition.rhs]));
            }
        }
        Some(step)
    }
}
