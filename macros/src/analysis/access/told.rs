//! The facts that the launch gets: only what it decides, with numbers for atoms.

use std::collections::{BTreeMap, BTreeSet};

use anabranch_core::facts::{Access, Component, Facts, Member, Source, Value};
use anabranch_core::limits::{MAX_ATOMS, MAX_NESTING};

use super::{Atom, Form, Found, LoopFacts, Step, bounds};

/// The facts for the launch of a loop with `vars` variables.
pub(super) fn of(facts: &mut LoopFacts, vars: usize) -> Facts {
    let mut told = tell(facts, vars, true);
    if told.atoms > MAX_ATOMS || told.depth() > MAX_NESTING {
        // Everything is checked on the device, in 64 bits, and the launch decides races alone.
        facts.decided.clear();
        facts.indexing.clear();
        facts.counted.clear();
        facts.plain.clear();
        told = tell(facts, vars, false);
    }
    if told.depth() > MAX_NESTING {
        // The launch refuses facts with too many atoms. It must not follow deeper steps.
        (told.atoms, told.steps) = (MAX_ATOMS + 1, Vec::new());
    }
    told
}

/// Without `sizes`, one atom that nothing defines takes the place of lengths and strides that no race depends on. So the launch takes none of them
/// for short.
fn tell(facts: &LoopFacts, vars: usize, sizes: bool) -> Facts {
    let decided = |at: usize| facts.decided.values().any(|decided| *decided == at);
    let races = |at: usize| facts.races.iter().any(|group| group.contains(&at));
    let told: Vec<bool> = (0..facts.accesses.len()).map(|at| decided(at) || races(at)).collect();
    let atoms = (0..vars).map(Atom::Var).collect();
    let mut kept = Kept { told: &told, atoms, indexing: BTreeSet::new() };
    let accesses: Vec<Access<Atom>> = facts.accesses.iter().map(by_components).collect();
    for (at, access) in accesses.iter().enumerate() {
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
    let steps = kept.useful(facts.steps.clone());
    // Variables, symbols, others: the order of atoms.
    let numbers: BTreeMap<Atom, usize> = kept.atoms.into_iter().zip(0..).collect();
    let number = |atom: &Atom| numbers.get(atom).copied().unwrap_or(numbers.len());
    let source = |atom: &Atom| match atom {
        Atom::Symbol(at) => {
            facts.symbols.get(*at)?.source.clone().or_else(|| Some(Source::Constant(Vec::new(), Member::default())))
        }
        Atom::Var(_) | Atom::Other(_) => None,
    };
    let access = |(at, access): (usize, &Access<Atom>)| {
        let (access, decided) = (access.map(&number), decided(at));
        let component = |Component { len, index }| Component { len, index: index.filter(|_| told[at]) };
        Access {
            index: access.index.filter(|_| told[at]),
            more: access.more.into_iter().map(component).collect(),
            end: access.end.map(|end| end.filter(|_| told[at])),
            decided,
            proved: decided && bounds::is_proved(facts, &facts.accesses[at]),
            ..access
        }
    };
    Facts {
        atoms: numbers.len() + usize::from(!sizes),
        sources: numbers.keys().filter_map(source).collect(),
        steps: steps.iter().map(|step| step.map(&number)).collect(),
        accesses: accesses.iter().enumerate().map(access).collect(),
        races: facts.races.clone(),
    }
}

/// An access as the launch judges it: of a grid, by the components of the index.
fn by_components(found: &Found) -> Access<Atom> {
    let access = found.access.clone();
    match found.components.split_first() {
        None => access,
        Some((Component { len, index }, more)) => {
            Access { len: *len, index: index.clone(), more: more.to_vec(), end: None, ..access }
        }
    }
}

/// What accesses depend on.
struct Kept<'t> {
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

    /// Keeps the steps that an access depends on. It walks backwards, because a value is defined before its use.
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
