//! Facts without what no access depends on.

use std::collections::BTreeSet;

use anabranch_core::facts::Value;
use anabranch_core::limits::{MAX_NESTING, MAX_SYMBOLS};

use super::{Atom, Form, Found, LoopFacts, Step};

/// Leaves out what the launch has no need for, of a loop with so many variables.
pub(super) fn prune(facts: &mut LoopFacts, vars: usize) {
    let all = std::mem::take(&mut facts.steps);
    tell(facts, all.clone());
    if facts.atoms(vars).count() > MAX_SYMBOLS || Step::depth(&facts.steps) > MAX_NESTING {
        // Everything is checked on the device, and the launch decides races alone.
        facts.decided.clear();
        facts.indexing.clear();
        facts.counted.clear();
        facts.plain.clear();
        tell(facts, all);
    }
}

fn tell(facts: &mut LoopFacts, steps: Vec<Step>) {
    let told: Vec<bool> = (0..facts.accesses.len()).map(|at| facts.is_told(at)).collect();
    let mut kept = Kept { told: &told, atoms: BTreeSet::new(), indexing: BTreeSet::new() };
    for (at, Found { access, .. }) in facts.accesses.iter().enumerate() {
        // Whatever is left to the device is compared with its length.
        kept.atoms.insert(access.len);
        if told[at] {
            kept.needs(access.index.iter().chain(access.end.iter().flatten()));
        }
        if facts.is_decided(at) {
            kept.indexing.extend(access.index.iter().flat_map(Form::atoms));
        }
    }
    facts.steps = kept.useful(steps);
    facts.kept = kept.atoms;
    facts.symbols.keep(&facts.kept);
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

    /// Leaves out what no access depends on, from the end to the begin: what is used comes before its use.
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
