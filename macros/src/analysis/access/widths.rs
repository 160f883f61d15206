//! Which numbers are `usize` in any case, without types: those that indexes are made of.

use std::collections::{BTreeMap, BTreeSet};

use anabranch_core::facts::Value;

use super::{Atom, Form, LoopFacts, Step};

/// The atoms that are `usize`: what indexes are made of without a conversion.
pub(super) fn wide(facts: &LoopFacts) -> BTreeSet<Atom> {
    let mut same_type = BTreeMap::new();
    of_same_type(&facts.steps, &mut same_type);
    let indexes = facts.accesses.iter().flat_map(|found| found.access.forms());
    let mut forms: Vec<&Form> = indexes.collect();
    let mut wide: BTreeSet<Atom> = facts.accesses.iter().map(|found| found.access.len).collect();
    while let Some(form) = forms.pop() {
        if form.casts.is_empty() {
            for atom in form.atoms().filter(|atom| !facts.converted.contains(atom)) {
                if wide.insert(atom) {
                    forms.extend(same_type.get(&atom).into_iter().flatten().copied());
                }
            }
        }
    }
    wide.retain(|atom| !facts.converted.contains(atom));
    wide
}

/// By atoms: forms of the same type.
fn of_same_type<'f>(steps: &'f [Step], all: &mut BTreeMap<Atom, Vec<&'f Form>>) {
    for step in steps {
        match step {
            Step::Let { atom, value } => all.entry(*atom).or_default().extend(&value.operands),
            Step::Join { atom, value, .. } => all.entry(*atom).or_default().push(value),
            Step::For { atom, start, end, step, body, .. } => {
                all.entry(*atom).or_default().extend([start, end].into_iter().chain(step));
                of_same_type(body, all);
            }
            Step::When { body, .. } => of_same_type(body, all),
            Step::Declare { .. } | Step::Access(_) | Step::Call(_) => {}
        }
    }
}

/// The slots of their types.
pub(super) fn wide_slots(steps: &[Step], wide: &BTreeSet<Atom>, slots: &mut BTreeSet<usize>) {
    let is_wide = |form: &Form| form.casts.is_empty() && form.atoms().any(|atom| wide.contains(&atom));
    for step in steps {
        match step {
            Step::Let { atom, value: Value { ty, operands, .. } } => {
                slots.extend((wide.contains(atom) || operands.iter().any(is_wide)).then_some(*ty));
            }
            Step::Join { atom, ty, .. } => slots.extend(wide.contains(atom).then_some(*ty)),
            Step::For { atom, ty, body, .. } => {
                slots.extend(wide.contains(atom).then_some(*ty));
                wide_slots(body, wide, slots);
            }
            Step::When { conditions, body } => {
                let of_wide = conditions.iter().filter(|of| is_wide(&of.lhs) || is_wide(&of.rhs));
                slots.extend(of_wide.map(|of| of.ty));
                wide_slots(body, wide, slots);
            }
            Step::Declare { .. } | Step::Access(_) | Step::Call(_) => {}
        }
    }
}
