//! Indexes as numbers in a mixed radix: their digits, and how far they are apart.

use super::extents::{at_sample, bounds, is_fixed};
use super::races::BufferAccesses;
use super::{Atom, Bounded, Form, Found, Operation, Values};

/// A digit of an index: it adds multiples of `factor` from 0 to `span`.
#[derive(Clone)]
pub(super) struct SymbolicDigit {
    pub(super) factor: Form,
    pub(super) span: Form,
    pub(super) kind: DigitKind,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum DigitKind {
    Loop(usize),
    Inner,
    Distance,
}

impl SymbolicDigit {
    /// `factor * t` for all `t` from 0 to `most`.
    pub(super) fn new(factor: Form, most: &Form, kind: DigitKind) -> Option<Self> {
        Some(Self { span: factor.mul(most)?, factor, kind })
    }

    /// The same span in larger steps.
    pub(super) fn in_steps(self, step: Option<&Form>) -> Option<Self> {
        match step {
            Some(step) => Some(Self { factor: self.factor.mul(step)?, ..self }),
            None => Some(self),
        }
    }
}

/// The index of an access by its digits.
pub(super) struct Parted {
    /// By loop variables.
    pub(super) factors: Vec<Form>,
    pub(super) rest: Form,
    pub(super) inner: Vec<SymbolicDigit>,
}

/// The values of an inner loop: `first + t` for `t` up to `most`.
struct Reach {
    first: Form,
    most: Option<Form>,
}

impl BufferAccesses<'_> {
    /// The index of an access by its digits. `None`: it is opaque.
    pub(super) fn parted(&self, at: usize) -> Option<Parted> {
        let found = self.found(at);
        let mut rest = found.access.index.clone()?;
        let mut inner = Vec::new();
        if let Some(end) = &found.access.end {
            let last = end.as_ref()?.sub(&Form::constant(1))?;
            let elements = Values { first: Some(rest), last: Some(last), ..Values::default() };
            let Reach { first, most } = self.reach(found, &elements)?;
            inner.push(SymbolicDigit::new(Form::constant(1), &most?, DigitKind::Inner)?);
            rest = first;
        }
        for par_loop in found.loops.iter().rev() {
            let (factor, left) = rest.split(par_loop.atom)?;
            rest = left;
            if factor.value.is_zero() {
                continue;
            }
            // It counts from its first value on, which may depend on what is around.
            let Reach { first, most } = self.reach(found, &par_loop.values)?;
            rest = rest.add(&factor.mul(&first)?)?;
            let most = most.unwrap_or_else(|| self.unknown(par_loop.atom));
            inner.push(counted(&mut rest, factor, &most)?);
        }
        // What an operation bounds is a digit, too: `x[8 * i + v % 8]`.
        for (&atom, Bounded { values, .. }) in &self.facts.bounded {
            let (factor, left) = rest.split(atom)?;
            rest = left;
            if !factor.value.is_zero() {
                inner.push(counted(&mut rest, factor, &values.extent()?)?);
            }
        }
        let mut factors = Vec::new();
        for var in 0..self.par_loop.dims.len() {
            let (factor, left) = rest.split(Atom::Var(var))?;
            if !is_fixed(&factor) {
                return None;
            }
            factors.push(factor);
            rest = left;
        }
        rest.casts.clear();
        is_fixed(&rest).then_some(Parted { factors, rest, inner })
    }

    /// Where values begin at the least, and how far they go at the most. A `max` is at least each
    /// of its operands, a `min` at most: `b * s..(b * s + s).min(n)` are up to `s`. Where that
    /// differs from one iteration to the other, all their values. No `most`: only the launch knows.
    fn reach(&self, found: &Found, values: &Values) -> Option<Reach> {
        let first = values.first.clone()?;
        if let Some(most) = values.extent().filter(is_fixed) {
            return Some(Reach { first, most: Some(most) });
        }
        let lasts: Vec<Form> = values.last.iter().flat_map(|last| self.chosen(last, Operation::Min)).collect();
        let firsts = self.chosen(&first, Operation::Max);
        let pairs = firsts.iter().flat_map(|first| lasts.iter().map(move |last| (first, last)));
        let known = pairs.filter_map(|(first, last)| Some((first.clone(), last.sub(first).filter(is_fixed)?)));
        let known = known.min_by_key(|(_, most)| at_sample(most)).map(|(first, most)| (first, Some(most)));
        let all = || {
            let bounds = |form: &Form, upper| bounds(self.facts, found, form.clone(), &|_| true, upper);
            let first = bounds(&first, false).into_iter().max_by_key(at_sample)?;
            let last = values.last.iter().flat_map(|last| bounds(last, true)).min_by_key(at_sample);
            let most = last.and_then(|last| last.sub(&first));
            Some((first, most))
        };
        let (first, most) = known.or_else(all)?;
        Some(Reach { first, most })
    }

    /// How often a loop runs, if only the launch knows it.
    pub(super) fn unknown(&self, variable: Atom) -> Form {
        let number = match variable {
            Atom::Var(at) | Atom::Symbol(at) => at,
            Atom::Other(at) => self.par_loop.dims.len() + at,
        };
        Form::atom(Atom::Symbol(1_000 + number))
    }

    /// A form, and what it is if each result of an operation is one of the operands.
    fn chosen(&self, form: &Form, operation: Operation) -> Vec<Form> {
        let mut bounds = vec![form.clone()];
        for (&atom, (of, operands)) in &self.facts.chosen {
            let grows = |form: &Form| {
                let factor = form.split(atom).and_then(|(factor, _)| factor.literal());
                factor.is_some_and(|factor| factor > 0)
            };
            if *of == operation && bounds.len() < MOST_BOUNDS && grows(form) {
                let pairs = bounds.iter().flat_map(|bound| operands.iter().map(move |operand| (bound, operand)));
                let more: Vec<Form> = pairs.filter_map(|(bound, o)| bound.with(atom, o)).collect();
                bounds.extend(more);
            }
        }
        bounds
    }
}

/// A digit that counts up, whatever the sign of its factor: down from the end are the same
/// elements.
fn counted(rest: &mut Form, factor: Form, most: &Form) -> Option<SymbolicDigit> {
    if !is_fixed(&factor) {
        return None;
    }
    if at_sample(&factor) < 0 {
        *rest = rest.add(&factor.mul(most)?)?;
    }
    SymbolicDigit::new(magnitude(&factor), most, DigitKind::Inner)
}

/// More of them are not tried.
const MOST_BOUNDS: usize = 8;

/// From the first begin of some accesses to their last end.
pub(super) fn spread<'f>(begins: impl Iterator<Item = &'f Form> + Clone, ends: &[Form]) -> Option<Form> {
    let first = begins.min_by_key(|form| at_sample(form))?;
    ends.iter().max_by_key(|form| at_sample(form))?.sub(first)
}

/// Whether numbers are all that is between some begins.
pub(super) fn are_near<'f>(mut begins: impl Iterator<Item = &'f Form>) -> bool {
    let Some(first) = begins.next() else { return true };
    begins.all(|begin| begin.sub(first).is_some_and(|distance| distance.literal().is_some()))
}

/// How far the constant parts of some accesses lie apart, as digits, and how wide the accesses are.
pub(super) fn distances<'f>(
    rests: impl Iterator<Item = &'f Form> + Clone,
    ends: &[Form],
) -> Option<(Vec<SymbolicDigit>, Form)> {
    let first = rests.clone().next()?;
    let count = rests.clone().count();
    let mut multiples: std::collections::BTreeMap<Vec<Atom>, Vec<i64>> = std::collections::BTreeMap::new();
    for rest in rests.clone() {
        for term in rest.sub(first)?.value.terms {
            multiples.entry(term.atoms).or_default().push(term.factor);
        }
    }
    let mut digits = Vec::new();
    for (atoms, mut factors) in multiples {
        // Those that do not contain it.
        if factors.len() < count {
            factors.push(0);
        }
        let step = factors.iter().fold(0, |divisor, factor| gcd(divisor, factor.saturating_abs()));
        let product = atoms.iter().try_fold(Form::constant(step), |p, atom| p.mul(&Form::atom(*atom)))?;
        let span = factors.iter().max()?.checked_sub(*factors.iter().min()?)?;
        digits.push(SymbolicDigit::new(product, &Form::constant(span / step), DigitKind::Distance)?);
    }
    let widths = rests.zip(ends).map(|(begin, end)| end.sub(begin)).collect::<Option<Vec<_>>>()?;
    let widest = widths.into_iter().max_by_key(at_sample)?;
    Some((digits, widest))
}

/// Sorted digits, those of the same factor as one: a row further and all rows of an inner loop are
/// a row more than these.
pub(super) fn merged(digits: Vec<SymbolicDigit>) -> Option<Vec<SymbolicDigit>> {
    let mut merged: Vec<SymbolicDigit> = Vec::new();
    for digit in digits {
        let is_loop = |digit: &SymbolicDigit| matches!(digit.kind, DigitKind::Loop(_));
        let same =
            |last: &&mut SymbolicDigit| !is_loop(last) && !is_loop(&digit) && last.factor.value == digit.factor.value;
        match merged.last_mut().filter(same) {
            Some(last) => {
                last.span = last.span.add(&digit.span)?;
                last.kind = if digit.kind == DigitKind::Inner { DigitKind::Inner } else { last.kind };
            }
            None => merged.push(digit),
        }
    }
    Some(merged)
}

pub(super) fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// With the sign that it has where host values are large.
pub(super) fn magnitude(form: &Form) -> Form {
    let form = Form { casts: Vec::new(), ..form.clone() };
    if at_sample(&form) < 0 { form.neg().unwrap_or(form) } else { form }
}
