//! Facts without what no access depends on.

use std::collections::BTreeSet;

use super::{Atom, Facts, Form, Step};

/// What accesses depend on.
#[derive(Default)]
pub(super) struct Kept {
    atoms: BTreeSet<usize>,
    /// Those that index arithmetic computes with.
    indexing: BTreeSet<usize>,
}

impl Kept {
    pub(super) fn of(facts: &Facts) -> Self {
        let mut kept = Kept::default();
        for (at, access) in facts.accesses.iter().enumerate() {
            kept.needs(access.index.iter().chain(access.end.iter().flatten()));
            if facts.is_decided(at) {
                kept.indexing.extend(access.index.iter().flat_map(others));
            }
        }
        kept
    }

    fn needs<'f>(&mut self, forms: impl IntoIterator<Item = &'f Form>) {
        self.atoms.extend(forms.into_iter().flat_map(others));
    }

    /// Leaves out what no access depends on, from the end to the begin: what is used stands before its use.
    pub(super) fn useful(&mut self, steps: Vec<Step>) -> Vec<Step> {
        let mut kept: Vec<Step> = steps.into_iter().rev().filter_map(|step| self.step(step)).collect();
        kept.reverse();
        kept
    }

    fn step(&mut self, mut step: Step) -> Option<Step> {
        match &mut step {
            Step::Let { atom, operands, narrow, .. } => {
                if !self.atoms.contains(atom) {
                    return None;
                }
                *narrow &= self.indexing.contains(atom);
                if *narrow {
                    self.indexing.extend(operands.iter().flat_map(others));
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
            Step::Access(_) => {}
            Step::For { start, end, step: by, body, .. } => {
                *body = self.useful(std::mem::take(body));
                if body.is_empty() {
                    return None;
                }
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

/// The atoms that steps define.
fn others(form: &Form) -> Vec<usize> {
    let other = |atom| match atom {
        Atom::Other(at) => Some(at),
        Atom::Var(_) | Atom::Symbol(_) => None,
    };
    form.atoms().filter_map(other).collect()
}
