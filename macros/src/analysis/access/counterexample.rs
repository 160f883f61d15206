//! The words for two iterations that meet.

use std::collections::BTreeSet;

use anabranch_core::decide::Example;
use anabranch_core::facts::Term;

use super::symbols::Symbol;
use super::trials::{Trial, Trials, decided_by};
use super::{Atom, Form, Found, Values};
use crate::ir::ParLoop;

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

/// What happens in an example: "with w = 4, (y, x) = (0, 4) writes `x[4]` (line 7), and (y, x) =
/// (1, 0) reads it".
pub(super) fn tell(trials: &Trials<'_>, trial: &Trial, example: &Example) -> String {
    let Trials { par_loop, facts, results, .. } = trials;
    let [a, b] = example.accesses.map(|at| &facts.accesses[at]);
    let [one, other] = &example.pair;
    let number = |atom: &Atom| if let Atom::Symbol(at) = atom { trial.symbol(*at) } else { None };
    let vars: Vec<String> = (0..par_loop.dims.len()).map(|at| variable(par_loop, at)).collect();
    let list = |all: Vec<String>| match all.as_slice() {
        [one] => one.clone(),
        many => format!("({})", many.join(", ")),
    };
    let values = |numbers: &[i128]| list(numbers.iter().map(ToString::to_string).collect());
    let name = list(vars);
    let forms = |found: &'_ Found| {
        let sides = found.conditions.iter().flat_map(|condition| [&condition.lhs, &condition.rhs]);
        sides.chain(found.access.forms()).flat_map(Form::atoms).collect::<Vec<_>>()
    };
    // One shape instead of its extents.
    let is_grid = par_loop.body[a.view()].dims > 0;
    let extents: Vec<Atom> = a.access.components().filter(|_| is_grid).map(|(len, _)| *len).collect();
    let lens: Vec<String> = extents.iter().filter_map(|len| Some(number(len)?.to_string())).collect();
    let shape = format!("{}.shape() = [{}]", par_loop.body[a.view()].name, lens.join(", "));
    // A larger number in the end of a range only adds iterations, if the end grows with it.
    // `n.min(4)` is never larger; `n / 4` is.
    let is_variable = |atom: &Atom| match atom {
        Atom::Symbol(at) => facts.symbols.get(*at).is_some_and(Symbol::is_variable),
        Atom::Var(_) => true,
        Atom::Other(_) => false,
    };
    let of_variables = |of: &Form| {
        let grows = |term: &Term<Atom>| term.factor > 0 && term.atoms.iter().all(is_variable);
        of.value.terms.iter().all(|term| term.atoms.is_empty() || grows(term))
    };
    let is_free = |atom: &Atom| {
        is_variable(atom) || facts.quotients.get(atom).is_some_and(|(dividend, _)| of_variables(dividend))
    };
    let grows = |term: &Term<Atom>| term.atoms.is_empty() || term.factor > 0 && term.atoms.iter().all(is_free);
    let loops = [a, b].into_iter().flat_map(|found| found.loops.iter().map(|inner| &inner.values));
    let decides = |values: &'_ Values| {
        let begin = [&values.first, &values.step].into_iter().flatten().flat_map(Form::atoms);
        let end = values.last.iter().flat_map(|last| &last.value.terms).filter(|term| !grows(term));
        begin.chain(end.flat_map(|term| term.atoms.iter().copied())).collect::<Vec<_>>()
    };
    let of_ranges = facts.ranges.iter().chain(loops).flat_map(decides);
    let mut used: Vec<Atom> = [a, b].into_iter().flat_map(forms).chain(of_ranges).collect();
    let mut next = 0;
    while let Some(atom) = used.get(next) {
        if let Some((_, operands)) = results.get(atom) {
            used.extend(operands.iter().flat_map(Form::atoms));
        }
        next += 1;
    }
    let mut sizes: Vec<String> = used
        .into_iter()
        .filter_map(|atom| match atom {
            Atom::Symbol(at) if !extents.contains(&atom) => {
                let number = number(&atom)?;
                Some(format!("{} = {number}", facts.symbols.get(at)?.name))
            }
            Atom::Symbol(_) | Atom::Var(_) | Atom::Other(_) => None,
        })
        .chain((!lens.is_empty()).then_some(shape))
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    // What an element must be, or that it must be different, is not worked out.
    let loads = [a, b].into_iter().flat_map(|found| decided_by(facts, results, found)).flatten();
    let loads = loads.filter_map(|at| Some(&par_loop.body[facts.accesses.get(at)?.view()].name));
    let data: BTreeSet<String> = loads.map(|view| format!("`{view}`")).collect();
    let data = data.into_iter().reduce(|all, view| format!("{all} and {view}"));
    let sizes = Some(sizes.join(", ")).filter(|sizes| !sizes.is_empty());
    let with = sizes.into_iter().chain(data.map(|views| format!("some values in {views}")));
    let with = with
        .reduce(|sizes, data| format!("{sizes} and {data}"))
        .map_or_else(String::new, |all| format!("with {all}, "));
    let (one, other) = (values(one), values(other));
    let index: Vec<String> = example.element.iter().flatten().map(ToString::to_string).collect();
    let index = if !is_grid { index.join(", ") } else { format!("[{}]", index.join(", ")) };
    let element = format!("{}[{index}]", par_loop.body[a.view()].name);
    if example.accesses[0] == example.accesses[1] {
        return format!("{with}{name} = {one} and {name} = {other} both write `{element}`");
    }
    let (line, verb) = (a.span.start().line, if b.access.write { "writes it, too" } else { "reads it" });
    format!("{with}{name} = {one} writes `{element}` (line {line}), and {name} = {other} {verb}")
}
