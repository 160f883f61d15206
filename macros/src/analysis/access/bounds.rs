//! Which accesses are in bounds whatever the numbers are, and which are left to the device.

use anabranch_core::facts::Term;

use super::extents::ends;
use super::{Atom, Condition, Form, Found, LoopFacts, Values};
use crate::report::{Code, Report, error};

/// Reports the accesses that only the device can check.
pub(super) fn check(facts: &LoopFacts, report: &mut Report) {
    for (Found { access, span, .. }, _) in
        facts.accesses.iter().zip(&facts.told.accesses).filter(|(_, told)| !told.decided)
    {
        let error =
            error(Code::CheckedOnDevice, format!("cannot prove before the launch that `{}` is in bounds", access.text));
        let error = if access.end.is_some() && !access.text.ends_with(']') {
            error.help("index in the loop: what a device function does with a slice or a grid, the launch decides or the device")
        } else if access.end.is_some() {
            error.help("pass the whole slice: parts of slices are checked on the device")
        } else {
            error
                .help("index with loop variables and host values")
                .help("limit the index: `.min(n - 1)`, `% n` or `if i < n { … }`")
        };
        report.at(*span, error.help("remove `bounds = \"proved\"`, so that the device checks the access"));
    }
}

/// Whether an access is in bounds by its looks: for plans, since the launch asks its numbers in any
/// case.
pub(super) fn is_proved(facts: &LoopFacts, found: &Found) -> bool {
    let access = &found.access;
    let Some(index) =
        access.index.as_ref().filter(|index| index.casts.is_empty() && access.end.is_none() && access.more.is_empty())
    else {
        return false;
    };
    // Lengths alone are never negative.
    let only_lengths = |form: &Form| {
        form.value.atoms().all(|atom| match atom {
            Atom::Symbol(at) => facts.symbols.get(*at).is_some_and(|symbol| symbol.name.ends_with(".len()")),
            Atom::Var(_) | Atom::Other(_) => false,
        })
    };
    let never_negative = |form: &Form| only_lengths(form) && form.value.terms.iter().all(|term| term.factor >= 0);
    // What bounds a value may have wrapped: `x.len() - 1`, where there is nothing in `x`.
    let exact = index.atoms().all(|atom| match atom {
        Atom::Other(_) => facts.bounded.get(&atom).is_none_or(|bounded| never_negative(&bounded.by)),
        Atom::Var(_) | Atom::Symbol(_) => true,
    });
    // A sum may wrap, unless it is a small one of what is below a length.
    let is_counted = |atom: &Atom| match atom {
        Atom::Var(_) => true,
        Atom::Other(_) => found.loops.iter().any(|inner| inner.atom == *atom),
        Atom::Symbol(_) => only_lengths(&Form::atom(*atom)),
    };
    let is_small = |term: &Term<Atom>| (0..1 << 16).contains(&term.factor) && term.atoms.iter().all(is_counted);
    let exact_side = |form: &Form| {
        let terms = form.value.terms.as_slice();
        let alone = matches!(terms, [Term { atoms, factor: 1 }] if atoms.len() == 1);
        form.casts.is_empty() && (alone || terms.iter().all(|term| term.atoms.len() <= 1 && is_small(term)))
    };
    let believed = |condition: &Condition| exact_side(&condition.lhs) && exact_side(&condition.rhs);
    let len = Form::atom(access.len);
    let below = |end: &Form| {
        len.sub(end).and_then(|room| room.sub(&Form::constant(1))).is_some_and(|room| never_negative(&room))
    };
    let mut loops = found.loops.iter().map(|inner| &inner.values).chain(&facts.ranges);
    // Conditions and casts are of numbers that are not negative.
    let natural = |values: &Values| {
        values.plain && [&values.first, &values.end].iter().all(|form| form.as_ref().is_some_and(never_negative))
    };
    exact
        && loops.all(natural)
        && ends(facts, found, &believed, false).iter().any(never_negative)
        && ends(facts, found, &believed, true).iter().any(below)
}
