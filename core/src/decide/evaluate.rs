//! One iteration, run on its facts with the arithmetic of the machine: numbers have the widths of
//! their types, and wrap.
//!
//! The rules of [`decide`](super::decide) work with what may be. An example that an error shows
//! must be what is, so it comes from here. What the facts do not say is `None`, and what follows
//! from that is left out.

use std::collections::BTreeSet;

use crate::facts::{Cast, Condition, Facts, Form, Polynomial, Step, Value};
use crate::ops::{Comparison, Operation};
use crate::scalar::IntType;

use super::interval::{Interval, product};
use super::numbers::Numbers;

/// The most rounds of an inner loop that are run.
const MOST_ROUNDS: usize = 4096;
/// The most elements of a range that are listed.
const MOST_ELEMENTS: i128 = 64;

/// An element that an iteration touches for sure: nothing unknown decides it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// Its group in [`Facts::races`], which is that of a buffer.
    pub group: usize,
    /// The number of the access.
    pub access: usize,
    /// Whether it writes.
    pub write: bool,
    /// The components of its index.
    pub element: Vec<i128>,
    /// A number that has wrapped on the way to the index.
    pub wrap: Option<Wrap>,
}

/// A number that is out of its type, so that the machine has another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrap {
    /// The number before it wraps.
    pub value: Polynomial,
    /// Its type.
    pub ty: IntType,
}

impl Wrap {
    /// `` `r * w` wraps in `u16` ``, by the names of atoms.
    pub fn text(&self, name: &dyn Fn(usize) -> Option<String>) -> String {
        let IntType { bits, signed } = self.ty;
        let number = sum_of(&self.value, name).map_or("a number".to_owned(), |sum| format!("`{sum}`"));
        format!("{number} wraps in `{}{bits}`", if signed { 'i' } else { 'u' })
    }
}

/// A sum as a user would write it.
fn sum_of(value: &Polynomial, name: &dyn Fn(usize) -> Option<String>) -> Option<String> {
    let mut text = String::new();
    // The constant comes first, and is read best at the end.
    let (constant, varying): (Vec<_>, Vec<_>) = value.terms.iter().partition(|term| term.atoms.is_empty());
    for term in varying.into_iter().chain(constant) {
        let size = term.factor.unsigned_abs();
        let size = Some(size.to_string()).filter(|_| size != 1 || term.atoms.is_empty());
        let factors = size.map(Some).into_iter().chain(term.atoms.iter().map(|atom| name(*atom)));
        let product = factors.collect::<Option<Vec<_>>>()?.join(" * ");
        text += match (text.is_empty(), term.factor < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        text += &product;
    }
    Some(text)
}

/// What is known of numbers that an iteration loads.
#[derive(Clone, Copy)]
pub struct Elements<'a> {
    /// The atoms that depend on what is loaded: they may be what a condition takes, and so may what
    /// a condition says that no step has.
    pub free: &'a BTreeSet<usize>,
    /// The atoms that are elements. Indexes are made of them where they are the sample.
    pub sampled: &'a BTreeSet<usize>,
    /// A value.
    pub sample: i128,
}

impl Elements<'_> {
    /// Whether they decide a condition.
    fn decide(&self, condition: &Condition) -> bool {
        condition.lhs.atoms().chain(condition.rhs.atoms()).any(|atom| self.free.contains(&atom))
    }
}

/// A number of the machine, and one that has wrapped on the way to it.
type Number = (i128, Option<Wrap>);

/// The iteration has ended, or has taken too long.
struct Ended;

/// Runs the iteration where the atoms before the symbols have these values. Each step takes a unit
/// of `fuel`.
pub fn touched(
    facts: &Facts,
    numbers: &Numbers<'_>,
    variables: &[i128],
    elements: Option<Elements<'_>>,
    fuel: &mut usize,
) -> Vec<Touched> {
    let symbols = variables.len()..variables.len() + numbers.symbols.len();
    let known = variables.iter().copied().map(Some).chain(numbers.symbols.iter().copied());
    let mut values: Vec<Option<Number>> = known.map(|value| Some((value?, None))).collect();
    values.resize(facts.atoms.max(values.len()), None);
    let open = vec![false; values.len()];
    let of_data = open.clone();
    let (unsure, may_have_ended, found) = (false, false, Vec::new());
    let mut run = Run { facts, numbers, symbols, values, elements, of_data, open, fuel, unsure, may_have_ended, found };
    // What was touched before the end counts.
    let _ = run.steps(&facts.steps);
    run.found
}

struct Run<'a> {
    facts: &'a Facts,
    numbers: &'a Numbers<'a>,
    /// The atoms that are host values.
    symbols: std::ops::Range<usize>,
    /// By atoms.
    values: Vec<Option<Number>>,
    elements: Option<Elements<'a>>,
    /// By atoms: what is loaded or returned decides it.
    of_data: Vec<bool>,
    /// By atoms: declared, and no value has been joined yet.
    open: Vec<bool>,
    fuel: &'a mut usize,
    /// Whether the iteration comes here depends on what is not known.
    unsure: bool,
    /// It may have ended before.
    may_have_ended: bool,
    found: Vec<Touched>,
}

impl Run<'_> {
    fn steps(&mut self, steps: &[Step]) -> Result<(), Ended> {
        for step in steps {
            *self.fuel = self.fuel.checked_sub(1).ok_or(Ended)?;
            match step {
                Step::Let { atom, value } => {
                    let sample = self.elements.filter(|of| of.sampled.contains(atom)).map(|of| (of.sample, None));
                    self.depends(*atom, &value.operands, matches!(value.operation, Operation::Any | Operation::Listed));
                    let result = self.operation(value)?.or(sample);
                    self.bind(*atom, result);
                }
                Step::Declare { atom } => {
                    self.bind(*atom, None);
                    self.open.get_mut(*atom).into_iter().for_each(|open| *open = true);
                }
                Step::Join { atom, value, ty } => {
                    self.depends(*atom, std::slice::from_ref(value), false);
                    let value = self.in_slot(value, *ty);
                    let is_first = self.open.get_mut(*atom).is_some_and(std::mem::take);
                    let sofar = self.values.get(*atom).cloned().flatten();
                    // On several ways that may all be taken, it is not known which value it has.
                    let same = |value: &Number| is_first || sofar.is_some_and(|sofar| sofar.0 == value.0);
                    let value = value.filter(same);
                    self.bind(*atom, value);
                }
                Step::For { .. } => self.inner_loop(step)?,
                Step::When { conditions, body } => {
                    let may_hold = |of: &Condition| self.elements.is_some_and(|elements| elements.decide(of));
                    let conditions: Vec<&Condition> = conditions.iter().filter(|of| !may_hold(of)).collect();
                    let holds: Vec<_> = conditions.iter().map(|condition| self.holds(condition)).collect();
                    if holds.contains(&Some(false)) {
                        continue;
                    }
                    let before = self.unsure;
                    self.unsure |= conditions.is_empty() && self.elements.is_none() || holds.contains(&None);
                    self.steps(body)?;
                    self.unsure = before;
                }
                Step::Access(number) => self.access(*number)?,
                Step::Call(call) => {
                    self.may_fail();
                    self.depends(call.result, &[], true);
                    self.bind(call.result, None);
                }
            }
        }
        Ok(())
    }

    fn bind(&mut self, atom: usize, value: Option<Number>) {
        if let Some(at) = self.values.get_mut(atom) {
            *at = value;
        }
    }

    /// An atom is made of these, or of what is loaded.
    fn depends(&mut self, atom: usize, forms: &[Form], is_loaded: bool) {
        let of_data = is_loaded || forms.iter().any(|form| self.is_of_data(form));
        self.of_data.get_mut(atom).into_iter().for_each(|known| *known |= of_data);
    }

    fn is_of_data(&self, form: &Form) -> bool {
        form.atoms().any(|atom| self.of_data.get(atom).is_some_and(|of_data| *of_data))
    }

    /// A check fails. On a way that may not be taken, the iteration may go on.
    fn fails(&mut self) -> Result<(), Ended> {
        self.may_fail();
        if self.unsure { Ok(()) } else { Err(Ended) }
    }

    /// A check may fail, so all that comes after it is unsure.
    fn may_fail(&mut self) {
        self.may_have_ended = true;
    }

    fn inner_loop(&mut self, step: &Step) -> Result<(), Ended> {
        let Step::For { atom, start, end, inclusive, step, ty, narrow: _, wraps, body } = step else { return Ok(()) };
        let by = step.as_ref().map_or(Some(1), |step| Some(self.in_slot(step, *ty)?.0));
        if by.is_some_and(|by| by <= 0) {
            return self.fails();
        }
        let last = (self.numbers.types)(*ty).and_then(|ty| Some(ty.range()?.hi));
        let ends = self.in_slot(start, *ty).zip(self.in_slot(end, *ty));
        let (Some(((mut at, wrap), (end, _))), Some(by), Some(last)) = (ends, by, last) else {
            self.may_fail();
            return Ok(());
        };
        for _ in 0..MOST_ROUNDS {
            if at > end || at == end && !inclusive {
                return Ok(());
            }
            self.bind(*atom, Some((at, wrap.clone())));
            self.steps(body)?;
            at = match at.checked_add(by) {
                Some(next) if next <= last => next,
                // Only the variable of a `while` loop wraps, and no example needs these rounds.
                Some(_) | None => return if *wraps { Err(Ended) } else { Ok(()) },
            };
        }
        self.may_fail();
        Ok(())
    }

    fn access(&mut self, number: usize) -> Result<(), Ended> {
        let Some(access) = self.facts.accesses.get(number) else { return Ok(()) };
        // The facts of a phase leave out what all iterations add to an index, so its bounds mean
        // nothing.
        let bounded = self.numbers.blocks.is_empty();
        let index = |form: Option<&Form>| self.in_type(form?, IntType { bits: 64, signed: false });
        let components = access.components().map(|(_, form)| index(form)).collect::<Option<Vec<Number>>>();
        let end = access.end.as_ref().map(|end| index(end.as_ref()));
        let (Some(components), Some(end)) = (components, end.map_or(Some(None), |end| end.map(Some))) else {
            // An element may be what makes it right.
            let is_any = access.components().any(|(_, index)| index.is_none()) || access.end == Some(None);
            let is_loaded = is_any || access.forms().any(|form| self.is_of_data(form));
            if bounded && !(is_loaded && self.elements.is_some()) {
                self.may_fail();
            }
            return Ok(());
        };
        let len = |atom: &usize| Some(self.values.get(*atom)?.as_ref()?.0);
        // An end may be the length, an element may not.
        let last = |index: i128| end.as_ref().map_or(index, |(end, _)| end - 1);
        let starts_late = |index: i128| end.as_ref().is_some_and(|(end, _)| index > *end);
        let outside = access
            .components()
            .zip(&components)
            .map(|((atom, _), (index, _))| len(atom).map(|len| last(*index) >= len || starts_late(*index)));
        let outside: Vec<Option<bool>> = outside.filter(|_| bounded).collect();
        let wrap = components.iter().chain(end.iter()).find_map(|(_, wrap)| wrap.clone());
        let elements = match (&end, components.as_slice()) {
            (Some((end, _)), [(start, _)]) => {
                (*start..*end.min(&(start + MOST_ELEMENTS))).map(|element| vec![element]).collect()
            }
            (Some(_), _) => Vec::new(),
            (None, components) => vec![components.iter().map(|(index, _)| *index).collect::<Vec<_>>()],
        };
        if outside.contains(&Some(true)) {
            return self.fails();
        }
        if outside.contains(&None) {
            self.may_fail();
        }
        if !access.known || self.unsure || self.may_have_ended {
            return Ok(());
        }
        let groups = self.facts.races.iter().enumerate().filter(|(_, group)| group.contains(&number));
        for (group, element) in groups.flat_map(|(group, _)| elements.iter().map(move |element| (group, element))) {
            let (element, wrap) = (element.clone(), wrap.clone());
            self.found.push(Touched { group, access: number, write: access.write, element, wrap });
        }
        Ok(())
    }

    /// Whether a condition holds, as the machine compares.
    fn holds(&self, Condition { lhs, comparison, rhs, ty }: &Condition) -> Option<bool> {
        let (lhs, rhs) = (self.in_slot(lhs, *ty)?.0, self.in_slot(rhs, *ty)?.0);
        Some(match comparison {
            Comparison::Less => lhs < rhs,
            Comparison::LessOrEqual => lhs <= rhs,
            Comparison::Equal => lhs == rhs,
            Comparison::NotEqual => lhs != rhs,
        })
    }

    fn operation(&mut self, value: &Value) -> Result<Option<Number>, Ended> {
        let operand = |at: usize| self.in_slot(value.operands.get(at)?, value.ty);
        let (a, b, c) = (operand(0), operand(1), operand(2));
        let number = |of: &Option<Number>| of.as_ref().map(|(number, _)| *number);
        let panics = match value.operation {
            Operation::Div | Operation::Rem | Operation::RemEuclid => number(&b).and_then(|b| match b {
                0 => Some(true),
                // The least number has no opposite.
                -1 => Some((self.numbers.types)(value.ty)?.range()?.lo == number(&a)?),
                _ => Some(false),
            }),
            Operation::Clamp => number(&b).zip(number(&c)).map(|(lo, hi)| lo > hi),
            Operation::Any
            | Operation::Listed
            | Operation::Mul
            | Operation::And
            | Operation::Or
            | Operation::Xor
            | Operation::Shr
            | Operation::Min
            | Operation::Max
            | Operation::SaturatingSub
            | Operation::SaturatingAdd
            | Operation::AbsDiff => Some(false),
        };
        match panics {
            Some(true) => return self.fails().map(|()| None),
            None => self.may_fail(),
            Some(false) => {}
        }
        let result = || {
            let ty = (self.numbers.types)(value.ty)?;
            let (a, b) = (number(&a)?, number(&b));
            let saturated = |sum: i128| match ty {
                IntType::ANY => wrapped(sum, ty),
                IntType::ANY_WIDE => wrapped(sum.max(0), ty),
                _ => ty.range().map(|range| sum.clamp(range.lo, range.hi)),
            };
            match value.operation {
                Operation::Any | Operation::Listed => None,
                Operation::Mul => wrapped(product(a, b?)?, ty),
                Operation::Div => a.checked_div(b?),
                Operation::Rem => a.checked_rem(b?),
                Operation::RemEuclid => a.checked_rem_euclid(b?),
                Operation::And => Some(a & b?),
                Operation::Or => Some(a | b?),
                Operation::Xor => Some(a ^ b?),
                Operation::Shr => Some(a >> u32::try_from(b?).ok().filter(|by| *by < ty.bits.min(127))?),
                Operation::Min => Some(a.min(b?)),
                Operation::Max => Some(a.max(b?)),
                Operation::Clamp => Some(a.max(b?).min(number(&c)?)),
                Operation::SaturatingSub => saturated(a.checked_sub(b?)?),
                Operation::SaturatingAdd => saturated(a.checked_add(b?)?),
                Operation::AbsDiff => a.checked_sub(b?)?.checked_abs(),
            }
        };
        let earlier = [&a, &b, &c].into_iter().flatten().find_map(|(_, wrap)| wrap.clone());
        Ok(result().map(|result| (result, earlier.or_else(|| self.wrap_of_product(value, result)))))
    }

    /// What has wrapped if a product is this number.
    fn wrap_of_product(&self, Value { operation, operands, ty, .. }: &Value, result: i128) -> Option<Wrap> {
        let [a, b] = operands.as_slice() else { return None };
        let exact = product(self.in_slot(a, *ty)?.0, self.in_slot(b, *ty)?.0)?;
        let has_wrapped = *operation == Operation::Mul && exact != result;
        has_wrapped.then_some(Wrap { value: a.mul(b)?.value, ty: (self.numbers.types)(*ty)? })
    }

    /// The machine's value of a form whose type is in a slot.
    fn in_slot(&self, form: &Form, slot: usize) -> Option<Number> {
        self.in_type(form, (self.numbers.types)(slot)?)
    }

    fn in_type(&self, form: &Form, ty: IntType) -> Option<Number> {
        let (value, wrap) = self.form(form)?;
        let machine = wrapped(value, ty)?;
        let wrap = wrap.or_else(|| (machine != value).then(|| Wrap { value: form.value.clone(), ty }));
        Some((machine, wrap))
    }

    /// A number that the machine has for a form, modulo 2^width of the form's type.
    fn form(&self, form: &Form) -> Option<Number> {
        if form.atoms().any(|atom| self.symbols.contains(&atom) && self.values.get(atom).is_none_or(Option::is_none)) {
            return None;
        }
        let exact = self.sum(&form.value)?;
        let types = |cast: &Cast| Some(((self.numbers.types)(cast.from)?, (self.numbers.types)(cast.to)?));
        let mut widened = Vec::new();
        for cast in &form.casts {
            let (from, to) = types(cast)?;
            if from == IntType::ANY || to == IntType::ANY {
                // Which of the two is wider is not known.
                if cast.from != cast.to {
                    wrapped(self.sum(&cast.value)?, IntType::ANY)?;
                }
            } else if to.bits > from.bits {
                widened.push((&cast.value, from, self.sum(&cast.value)?));
            }
        }
        let wraps = |(_, from, value): &&(&Polynomial, IntType, i128)| !from.holds(Interval::point(*value));
        let earlier = form.value.atoms().find_map(|atom| self.values.get(*atom)?.as_ref()?.1.clone());
        let Some(&(operand, ty, before)) = widened.iter().find(wraps) else { return Some((exact, earlier)) };
        if !adds_once(form, operand) {
            return None;
        }
        let after = widened
            .iter()
            .filter(|(of, ..)| *of == operand)
            .try_fold(before, |value, (_, from, _)| wrapped(value, *from))?;
        let less = after.checked_sub(before)?;
        // What else is widened may be made of the number that has wrapped.
        let stays = |(of, from, value): &(&Polynomial, IntType, i128)| {
            let in_type = |value: i128| from.holds(Interval::point(value));
            let is_other = of.atoms().all(|atom| !operand.atoms().any(|other| other == atom));
            *of == operand || in_type(*value) && (is_other || value.checked_add(less).is_some_and(in_type))
        };
        let wrap = earlier.unwrap_or_else(|| Wrap { value: operand.clone(), ty });
        widened.iter().all(stays).then_some((exact.checked_add(less)?, Some(wrap)))
    }

    fn sum(&self, sum: &Polynomial) -> Option<i128> {
        sum.terms.iter().try_fold(0i128, |all, term| {
            let value = |atom: &usize| Some(self.values.get(*atom)?.as_ref()?.0);
            let product = term.atoms.iter().try_fold(i128::from(term.factor), |of, atom| product(of, value(atom)?))?;
            all.checked_add(product)
        })
    }
}

/// Whether a form is the operand of one of its casts, and a sum of other atoms that is added to
/// that. A form says only of what its value is made, so this is seen from its size: nothing in it
/// has cancelled, and nothing is in it twice.
fn adds_once(form: &Form, operand: &Polynomial) -> bool {
    let varying = |of: &Polynomial| of.terms.iter().filter(|term| !term.atoms.is_empty()).cloned().collect::<Vec<_>>();
    let (whole, part) = (varying(&form.value), varying(operand));
    let mut rest = whole.iter().filter(|term| !part.contains(term));
    let magnitudes = whole.iter().map(|term| (&term.atoms, term.factor.unsigned_abs()));
    let size = varying(&form.size);
    let rest_of_constant = form.value.constant().abs_diff(operand.constant());
    part.iter().all(|term| whole.contains(term))
        && rest.all(|term| term.atoms.iter().all(|atom| !operand.atoms().any(|other| other == atom)))
        && size.iter().map(|term| (&term.atoms, term.factor.unsigned_abs())).eq(magnitudes)
        && operand.constant().unsigned_abs().checked_add(rest_of_constant) == Some(form.size.constant().unsigned_abs())
}

/// What a number is in a type. `None`: 128 bits with a sign do not hold it, or the type is not
/// known.
fn wrapped(value: i128, ty: IntType) -> Option<i128> {
    let Some(range) = ty.range().filter(|_| ty.is_one()) else {
        return ty.holds(Interval::point(value)).then_some(value);
    };
    let count = range.hi.checked_sub(range.lo)?.checked_add(1)?;
    value.checked_sub(range.lo)?.rem_euclid(count).checked_add(range.lo)
}
