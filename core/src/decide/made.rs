//! Results that the variables of the loop alone make, and that are no sums of them: remainders of
//! sums, and polynomials of degree 2.
//!
//! Such a result is the same in two iterations in which its variables are. A remainder says more:
//! modulo its divisor it is the sum. So does a polynomial: the rows of a triangle,
//! `x[i * (i + 1) / 2 + j]` with `j <= i`, follow each other ([`Rows`]).

use crate::facts::Value;
use crate::ops::Operation;

use super::interval::{Interval, product};
use super::linear::{Linear, multiples};
use super::numbers::AXES;
use super::scope::{Atoms, Congruence, Curve, How, Scope, facts};

/// The elements that an access touches in an iteration lie between two polynomials of one variable.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    low: Curve,
    high: Curve,
}

impl Curve {
    /// The value at `v`.
    fn at(&self, v: i128) -> Option<i128> {
        let [c0, c1, c2] = self.c;
        let square = v.checked_mul(v.checked_sub(1)?)? / 2;
        c0.checked_add(product(c1, v)?)?.checked_add(product(c2, square)?)
    }

    fn plus(&self, times: i128, other: &Self) -> Option<Self> {
        let mut sum = *self;
        for (c, more) in sum.c.iter_mut().zip(other.c) {
            *c = c.checked_add(product(times, more)?)?;
        }
        (sum.variable == other.variable).then_some(sum)
    }

    /// The product of two lines.
    fn times(&self, other: &Self) -> Option<Self> {
        let (&Self { variable, c: [a0, a1, 0] }, [b0, b1, 0]) = (self, other.c) else { return None };
        let square = product(a1, b1)?;
        let line = product(a0, b1)?.checked_add(product(a1, b0)?)?.checked_add(square)?;
        (variable == other.variable).then_some(Self { variable, c: [product(a0, b0)?, line, square.checked_mul(2)?] })
    }

    fn divided(&self, by: i128) -> Option<Self> {
        let exact = by > 0 && self.c.iter().all(|c| c % by == 0);
        exact.then(|| Self { c: self.c.map(|c| c / by), ..*self })
    }

    fn negated(&self) -> Option<Self> {
        Self { c: [0; 3], ..*self }.plus(-1, self)
    }

    /// Its values for all those of its variable.
    pub(super) fn values<const N: usize>(&self, atoms: &Atoms<'_, N>) -> Option<Interval> {
        let (of, [_, c1, c2]) = (atoms.value(*atoms.vars.atoms().get(self.variable)?)?, self.c);
        // Its differences `c1 + c2 * v` change their sign there.
        let turn = c1.checked_neg()?.checked_div_euclid(c2).unwrap_or(of.lo);
        let near = [turn.checked_sub(1)?, turn, turn.checked_add(1)?, turn.checked_add(2)?];
        let near = near.map(|v| v.clamp(of.lo, of.hi));
        near.into_iter()
            .chain([of.lo, of.hi])
            .try_fold(Interval::EMPTY, |all, v| Some(all.hull(Interval::point(self.at(v)?))))
    }
}

impl Rows {
    pub(super) fn variable(&self) -> usize {
        self.low.variable
    }

    /// From the first element of all rows to the last.
    pub(super) fn values<const N: usize>(&self, atoms: &Atoms<'_, N>) -> Option<Interval> {
        Some(Interval::new(self.low.values(atoms)?.lo, self.high.values(atoms)?.hi))
    }

    /// Whether two iterations that differ in the variable touch different elements; it has the
    /// values `first + step * t` for `t < trips`.
    ///
    /// If each row begins no earlier than the one before, and behind its end, then it begins behind
    /// the ends of all before. Both ways are lines if the squares cancel, and a line is positive
    /// between two places where it is.
    pub(super) fn follow(&self, other: &Self, first: i128, step: i128, trips: i128) -> bool {
        let of = |this: &Self, negate: bool| match negate {
            false => Some(*this),
            true => Some(Self { low: this.high.negated()?, high: this.low.negated()? }),
        };
        let up = |negate: bool| {
            let (a, b) = (of(self, negate)?, of(other, negate)?);
            let last = first.checked_add(product(step, trips.checked_sub(2)?)?)?;
            let grows = |low: &Curve, before: &Curve, least: i128| {
                let way = |v: i128| low.at(v.checked_add(step)?)?.checked_sub(before.at(v)?);
                Some(low.c[2] == before.c[2] && way(first)? >= least && way(last)? >= least)
            };
            let all = [(&a.low, &a.low, 0), (&b.low, &b.low, 0), (&a.low, &b.high, 1), (&b.low, &a.high, 1)];
            let all = all.map(|(low, before, least)| grows(low, before, least));
            Some(self.variable() == other.variable() && all.iter().all(|grows| *grows == Some(true)))
        };
        [false, true].into_iter().any(|negate| up(negate) == Some(true))
    }
}

impl<const N: usize> Atoms<'_, N> {
    /// How the variables of the loop make the result of an operation.
    pub(super) fn how(&self, value: &Value, scope: Option<&Scope<'_>>) -> Option<How> {
        let exact = |at: usize| self.exact(value.operands.get(at)?, value.ty, scope);
        let number = |at: usize| self.machine(value.operands.get(at)?, value.ty, scope)?.value();
        match value.operation {
            Operation::Rem | Operation::RemEuclid | Operation::And => {
                let (sum, modulus) = self.dividend(value, scope)?;
                let mut congruence = Congruence { factors: [0; AXES], rest: 0, modulus };
                for &(atom, factor) in sum.terms() {
                    *congruence.factors.get_mut(self.vars.place(atom)?)? = factor;
                }
                congruence.rest = i64::try_from(sum.constant.checked_rem_euclid(modulus.into())?).ok()?;
                Some(How::Remainder(congruence))
            }
            // As for forms, it does not matter what has wrapped.
            Operation::Mul => {
                let factor = |at: usize| self.curve(&self.linear(value.operands.get(at)?, scope)?);
                factor(0)?.times(&factor(1)?).map(How::Curve)
            }
            Operation::Div => self.curve(&exact(0)?)?.divided(number(1)?).map(How::Curve),
            Operation::Shr => {
                let by = u32::try_from(number(1)?).ok().filter(|by| *by < 62)?;
                self.curve(&exact(0)?)?.divided(1 << by).map(How::Curve)
            }
            Operation::Any
            | Operation::Listed
            | Operation::Or
            | Operation::Xor
            | Operation::Min
            | Operation::Max
            | Operation::Clamp
            | Operation::SaturatingSub
            | Operation::SaturatingAdd
            | Operation::AbsDiff => None,
        }
    }

    /// How an atom is made.
    pub(super) fn made_of(&self, atom: usize) -> Option<&How> {
        self.made.iter().flatten().find(|made| made.atom == atom).map(|made| &made.how)
    }

    /// An atom as a polynomial.
    fn curve_of(&self, atom: usize) -> Option<Curve> {
        match (self.vars.place(atom), self.made_of(atom)) {
            (Some(variable), _) => Some(Curve { variable, c: [0, 1, 0] }),
            (None, Some(How::Curve(curve))) => Some(*curve),
            (None, Some(How::Remainder(_)) | None) => None,
        }
    }

    /// A sum as a polynomial of one variable.
    fn curve(&self, sum: &Linear) -> Option<Curve> {
        let mut terms = sum.terms().iter();
        let &(atom, factor) = terms.next()?;
        let first = self.curve_of(atom)?;
        let mut curve = Curve { c: [sum.constant, 0, 0], ..first }.plus(factor.into(), &first)?;
        for &(atom, factor) in terms {
            curve = curve.plus(factor.into(), &self.curve_of(atom)?)?;
        }
        Some(curve)
    }

    /// Between which polynomials the elements of an access lie, if its index has one.
    pub(super) fn rows(&self, index: &Linear, end: Option<&Option<Linear>>, scope: Option<&Scope<'_>>) -> Option<Rows> {
        let low = self.edge(index, false, scope)?;
        let high = match end {
            None => self.edge(index, true, scope)?,
            Some(end) => self.edge(&end.as_ref()?.plus_constant(-1)?, true, scope)?,
        };
        (low.variable == high.variable).then_some(Rows { low, high })
    }

    /// A polynomial that a sum is never above, or never below.
    fn edge(&self, sum: &Linear, upper: bool, scope: Option<&Scope<'_>>) -> Option<Curve> {
        let is_curve = |atom: usize| matches!(self.made_of(atom), Some(How::Curve(_)));
        let &(atom, _) = sum.terms().iter().find(|(atom, _)| is_curve(*atom))?;
        let Curve { variable, .. } = self.curve_of(atom)?;
        let (mut edge, mut rest) = (Curve { variable, c: [0; 3] }, *sum);
        for &(atom, factor) in sum.terms() {
            if let Some(curve) = self.curve_of(atom).filter(|curve| curve.variable == variable) {
                edge = edge.plus(factor.into(), &curve)?;
                rest = rest.plus(factor.checked_neg()?, &Linear::atom(atom))?;
            }
        }
        // What is left may lie on one side of a line that a fact tells.
        let variable_atom = *self.vars.atoms().get(variable)?;
        let line = Linear::atom(variable_atom);
        let values = self.value(variable_atom)?;
        let sloped = facts(scope).flat_map(|fact| multiples(&rest, fact).map(move |times| (times, fact)));
        let slopes =
            sloped.filter_map(|(times, fact)| Some(rest.plus(times.checked_neg()?, fact)?.factor(variable_atom)));
        let lines = slopes.chain([0]).filter_map(|slope| {
            let left = self.bounds_by(&rest.plus(slope.checked_neg()?, &line)?, scope, 2)?;
            let from = if upper { left.hi } else { left.lo };
            // The better line is so in the middle.
            let middle = from.checked_mul(2)?.checked_add(product(slope.into(), values.lo.checked_add(values.hi)?)?)?;
            Some((if upper { middle } else { middle.checked_neg()? }, from, slope))
        });
        let (_, from, slope) = lines.min()?;
        edge.plus(1, &Curve { variable, c: [from, slope.into(), 0] })
    }
}
