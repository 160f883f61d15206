//! Two iterations that meet, to show in an error.

use std::collections::BTreeMap;

use super::{Access, Atom, Facts, Form};
use crate::ir::ParLoop;

/// Values for host values to try: for each of them, and one more for each next.
const SIZES: [i64; 5] = [4, 3, 6, 1, 12];
/// Iterations to try.
const MOST: usize = 4_096;

/// Iterations in which the two accesses touch the same element: "with w = 4, iterations (0, 4) and (1, 0) …".
pub(super) fn find(looped: &ParLoop, facts: &Facts, first: usize, second: usize) -> Option<String> {
    SIZES.into_iter().find_map(|size| Trial { looped, facts, size }.run(first, second))
}

/// The name of a loop variable, as the user wrote it.
pub(super) fn variable(looped: &ParLoop, at: usize) -> String {
    let name = looped.body[looped.dims[at].var].name.to_string();
    if name.starts_with("_anabranch_") { "_".to_owned() } else { name }
}

struct Trial<'a> {
    looped: &'a ParLoop,
    facts: &'a Facts,
    size: i64,
}

type Numbers = BTreeMap<Atom, i64>;

impl Trial<'_> {
    fn number(&self, numbers: &Numbers, atom: Atom) -> Option<i64> {
        match atom {
            Atom::Symbol(at) => match self.facts.quotients.get(&atom) {
                Some((whole, by)) => Some(self.value(whole, numbers)? / by),
                None => Some(self.size + at as i64),
            },
            _ => numbers.get(&atom).copied(),
        }
    }

    fn value(&self, form: &Form, numbers: &Numbers) -> Option<i64> {
        form.value(&|atom| self.number(numbers, atom))
    }

    fn run(&self, first: usize, second: usize) -> Option<String> {
        let (a, b) = (self.facts.accesses.get(first)?, self.facts.accesses.get(second)?);
        let mut iterations = vec![Numbers::new()];
        for (var, range) in self.facts.ranges.iter().enumerate() {
            let ends = |numbers: &Numbers| {
                let end = |form: &Option<Form>| form.as_ref().and_then(|form| self.value(form, numbers));
                let step = end(&range.step).and_then(|step| usize::try_from(step).ok());
                (end(&range.first).unwrap_or(0), end(&range.last).unwrap_or(self.size), step.unwrap_or(1).max(1))
            };
            let mut next = Vec::new();
            for numbers in iterations {
                let (start, last, step) = ends(&numbers);
                for value in (start..=last.min(start.saturating_add(12))).step_by(step).take(MOST) {
                    next.push(numbers.iter().map(|(k, v)| (*k, *v)).chain([(Atom::Var(var), value)]).collect());
                }
            }
            next.truncate(MOST);
            iterations = next;
        }
        let mut writers: BTreeMap<i64, &Numbers> = BTreeMap::new();
        for numbers in &iterations {
            for element in self.elements(a, numbers) {
                writers.entry(element).or_insert(numbers);
            }
        }
        for numbers in &iterations {
            for element in self.elements(b, numbers) {
                if let Some(other) = writers.get(&element).filter(|other| **other != numbers) {
                    return Some(self.tell(a, b, element, other, numbers));
                }
            }
        }
        None
    }

    /// The elements that an access touches in an iteration; none if that cannot be said.
    fn elements(&self, access: &Access, numbers: &Numbers) -> Vec<i64> {
        let holds = |condition: &super::Condition| {
            let sides = (self.value(&condition.lhs, numbers), self.value(&condition.rhs, numbers));
            let (Some(lhs), Some(rhs)) = sides else { return true };
            match condition.comparison {
                super::Comparison::Less => lhs < rhs,
                super::Comparison::LessOrEqual => lhs <= rhs,
                super::Comparison::Equal => lhs == rhs,
                super::Comparison::NotEqual => lhs != rhs,
            }
        };
        if !access.conditions.iter().all(holds) {
            return Vec::new();
        }
        let mut all = vec![numbers.clone()];
        for inner in &access.loops {
            let mut next = Vec::new();
            for numbers in all {
                let end = |form: &Option<Form>| form.as_ref().and_then(|form| self.value(form, &numbers));
                let (Some(start), Some(last)) = (end(&inner.values.first), end(&inner.values.last)) else { continue };
                for value in start..=last.min(start.saturating_add(12)) {
                    next.push(
                        numbers.iter().map(|(k, v)| (*k, *v)).chain([(Atom::Other(inner.atom), value)]).collect(),
                    );
                }
            }
            all = next;
        }
        let mut elements = Vec::new();
        for numbers in all.iter().take(MOST) {
            let Some(index) = access.index.as_ref().and_then(|form| self.value(form, numbers)) else { continue };
            let end = match &access.end {
                None => index.checked_add(1),
                Some(end) => end.as_ref().and_then(|end| self.value(end, numbers)),
            };
            elements.extend((index..end.unwrap_or(index)).take(64));
        }
        elements.retain(|index| *index >= 0);
        elements
    }

    fn tell(&self, a: &Access, b: &Access, element: i64, one: &Numbers, other: &Numbers) -> String {
        let vars: Vec<String> = (0..self.looped.dims.len()).map(|at| variable(self.looped, at)).collect();
        let values = |numbers: &Numbers| {
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
        let used = [a, b].into_iter().flat_map(|access| access.index.iter().flat_map(Form::atoms));
        let mut sizes: Vec<String> = used
            .filter_map(|atom| match atom {
                Atom::Symbol(at) => Some(format!("{} = {}", self.facts.symbols.get(at)?.name, self.size + at as i64)),
                _ => None,
            })
            .collect();
        sizes.sort_unstable();
        sizes.dedup();
        let with = if sizes.is_empty() { String::new() } else { format!("with {}, ", sizes.join(", ")) };
        format!("{with}{name} = {} and {name} = {} meet at element {element}", values(one), values(other))
    }
}
