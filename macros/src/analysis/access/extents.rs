//! How far an access reaches, in forms that are the same for all iterations.

use super::{Atom, Comparison, Condition, Form, Found, LoopFacts, Values};

/// Bounds of what an access touches, none of which depends on the iteration; by the conditions that
/// are believed.
pub(super) fn ends(facts: &LoopFacts, found: &Found, believed: &dyn Fn(&Condition) -> bool, upper: bool) -> Vec<Form> {
    let last = match (&found.access.end, upper) {
        (Some(end), true) => end.as_ref().and_then(|end| end.sub(&Form::constant(1))),
        _ => found.access.index.clone(),
    };
    last.map(|form| bounds(facts, found, form, believed, upper)).unwrap_or_default()
}

/// The same of any form at the place of an access.
pub(super) fn bounds(
    facts: &LoopFacts,
    found: &Found,
    form: Form,
    believed: &dyn Fn(&Condition) -> bool,
    upper: bool,
) -> Vec<Form> {
    let conditions: Vec<&Condition> = found.conditions.iter().filter(|condition| believed(condition)).collect();
    let mut forms = vec![form];
    let inner = found.loops.iter().rev().map(|l| (l.atom, &l.values));
    let bounded = facts.bounded.iter().map(|(&atom, bounded)| (atom, &bounded.values));
    let inner = inner.chain(bounded);
    let vars = facts.ranges.iter().enumerate().map(|(var, range)| (Atom::Var(var), range));
    for (atom, values) in inner.chain(vars) {
        forms = forms.iter().flat_map(|form| without(form, atom, values, &conditions, upper)).collect();
    }
    forms.retain(is_fixed);
    forms
}

/// A form with the largest (or smallest) value that a variable can have in the place of the
/// variable.
fn without(form: &Form, atom: Atom, values: &Values, conditions: &[&Condition], upper: bool) -> Vec<Form> {
    let Some((factor, _)) = form.split(atom) else { return Vec::new() };
    if factor.value.is_zero() {
        return vec![form.clone()];
    }
    let largest = upper == (at_sample(&factor) > 0);
    let from_range = if largest { values.last.clone() } else { values.first.clone() };
    let narrowed = conditions.iter().filter_map(|condition| {
        // 0 <= rest + sign * atom
        let (difference, strict) = match condition.comparison {
            Comparison::Less => (condition.rhs.sub(&condition.lhs)?, 1),
            Comparison::LessOrEqual | Comparison::Equal => (condition.rhs.sub(&condition.lhs)?, 0),
            Comparison::NotEqual => return None,
        };
        let (sign, rest) = difference.sub(&Form::constant(strict))?.split(atom)?;
        match (sign.literal()?, largest, condition.comparison) {
            (-1, true, _) => Some(rest),
            (1, false, _) => rest.neg(),
            (1, true, Comparison::Equal) => rest.neg(),
            (-1, false, Comparison::Equal) => Some(rest),
            _ => None,
        }
    });
    from_range.into_iter().chain(narrowed).take(4).filter_map(|value| form.with(atom, &value)).collect()
}

/// Whether it is the same for all iterations.
pub(super) fn is_fixed(form: &Form) -> bool {
    form.value.atoms().all(|atom| matches!(atom, Atom::Symbol(_)))
}

/// A value to sort by, where every host value is large, and none is another's multiple.
pub(super) fn at_sample(form: &Form) -> i64 {
    let number = |atom| match atom {
        Atom::Symbol(at) => Some(1_009 + 38 * at as i64),
        Atom::Var(_) | Atom::Other(_) => Some(1),
    };
    form.number(&number).unwrap_or(i64::MAX)
}
