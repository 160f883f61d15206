//! Results of operations that are sums, where the numbers show it: `(8 * i + k) / 8` is `i` for all
//! `k` below 8.
//!
//! Each rule is an identity on the integers. The operands are [exact](Atoms::exact): the machine
//! computes with the same numbers. What must be so is asked of the operands at the place of the
//! operation, and so the sum is right there, and wherever the result is in scope.

use crate::facts::Value;
use crate::ops::Operation;

use super::interval::{Interval, floor};
use super::linear::Linear;
use super::scope::{Atoms, Scope};

impl<const N: usize> Atoms<'_, N> {
    /// The sum that the result of an operation is.
    pub(super) fn sum_of(&self, value: &Value, scope: Option<&Scope<'_>>) -> Option<Linear> {
        let ty = (self.numbers.types)(value.ty)?;
        let exact = |at: usize| self.exact(value.operands.get(at)?, value.ty, scope);
        let number = |at: usize| self.machine(value.operands.get(at)?, value.ty, scope)?.value();
        // Whether one is at least another: `None` if neither is shown to be.
        let order = |a: &Linear, b: &Linear| {
            let way = self.bounds(&a.minus(b)?, scope)?;
            (way.lo >= 0 || way.hi <= 0).then_some(way.lo >= 0)
        };
        let fits = |sum: Linear| ty.holds(self.bounds(&sum, scope)?).then_some(sum);
        // Rust rounds towards 0.
        let towards_0 = |a: &Linear, rest: &Linear| {
            let is_exact = rest.terms().is_empty() && rest.constant == 0;
            (is_exact || self.bounds(a, scope)?.lo >= 0).then_some(())
        };
        match value.operation {
            Operation::Any | Operation::Listed => None,
            // As for forms, it does not matter what has wrapped.
            Operation::Mul => {
                let (a, b) = (value.operands.first()?, value.operands.get(1)?);
                let number = |form| self.interval(form, scope)?.value().and_then(|number| i64::try_from(number).ok());
                let (times, sum) = number(a).map(|times| (times, b)).or_else(|| Some((number(b)?, a)))?;
                Linear::constant(0).plus(times, &self.linear(sum, scope)?)
            }
            Operation::Div => {
                let (by, a) = (positive(number(1)?)?, exact(0)?);
                let (quotient, rest) = self.divided(&a, by, scope)?;
                towards_0(&a, &rest).map(|()| quotient)
            }
            Operation::Rem => {
                let (by, a) = (positive(number(1)?)?, exact(0)?);
                let (_, rest) = self.divided(&a, by, scope)?;
                towards_0(&a, &rest).map(|()| rest)
            }
            Operation::RemEuclid => Some(self.divided(&exact(0)?, positive(number(1)?)?, scope)?.1),
            Operation::Shr => {
                let by = u32::try_from(number(1)?).ok().filter(|by| *by < ty.bits)?;
                Some(self.divided(&exact(0)?, power(by)?, scope)?.0)
            }
            Operation::And => {
                let (mask, of) = number(1).map(|mask| (mask, 0)).or_else(|| Some((number(0)?, 1)))?;
                let by = positive(mask.checked_add(1)?).filter(|by| by.count_ones() == 1)?;
                Some(self.divided(&exact(of)?, by, scope)?.1)
            }
            Operation::Or | Operation::Xor => {
                let (a, b) = (exact(0)?, exact(1)?);
                let bits = number(1).map(|bits| (bits, &a)).or_else(|| Some((number(0)?, &b)));
                let (upper, lower) = (self.are_disjoint(&a, &b, scope), self.are_disjoint(&b, &a, scope));
                match bits.filter(|_| value.operation == Operation::Xor) {
                    _ if upper || lower => a.plus(1, &b),
                    Some((bits, of)) => self.flipped(*of, bits, scope),
                    None => None,
                }
            }
            Operation::Min => {
                let (a, b) = (exact(0)?, exact(1)?);
                Some(if order(&a, &b)? { b } else { a })
            }
            Operation::Max => {
                let (a, b) = (exact(0)?, exact(1)?);
                Some(if order(&a, &b)? { a } else { b })
            }
            Operation::Clamp => {
                // `lo > hi` panics.
                let (a, lo, hi) = (exact(0)?, exact(1)?, exact(2)?);
                match (order(&a, &lo)?, order(&hi, &a)) {
                    (false, _) => Some(lo),
                    (true, Some(true)) => Some(a),
                    (true, Some(false)) => Some(hi),
                    (true, None) => None,
                }
            }
            Operation::SaturatingSub => {
                let (a, b) = (exact(0)?, exact(1)?);
                fits(a.minus(&b)?)
            }
            Operation::SaturatingAdd => fits(exact(0)?.plus(1, &exact(1)?)?),
            Operation::AbsDiff => {
                let (a, b) = (exact(0)?, exact(1)?);
                if order(&a, &b)? { a.minus(&b) } else { b.minus(&a) }
            }
        }
    }

    /// A sum and a divisor, of which the result is the remainder, between 0 and the divisor.
    pub(super) fn dividend(&self, value: &Value, scope: Option<&Scope<'_>>) -> Option<(Linear, i64)> {
        let a = || self.exact(value.operands.first()?, value.ty, scope);
        let number = || self.machine(value.operands.get(1)?, value.ty, scope)?.value();
        match value.operation {
            Operation::Rem => {
                let (a, by) = (a()?, positive(number()?)?);
                (self.bounds(&a, scope)?.lo >= 0).then_some((a, by))
            }
            Operation::RemEuclid => a().zip(positive(number()?)),
            Operation::And => {
                let by = positive(number()?.checked_add(1)?).filter(|by| by.count_ones() == 1)?;
                Some((a()?, by))
            }
            _ => None,
        }
    }

    /// `a` as `by * quotient + rest`, where `0 <= rest < by`.
    ///
    /// Terms whose factors are multiples of `by` belong to the quotient. All values of what is left
    /// lie between two multiples of `by` that follow each other, and the lower one of these belongs
    /// to the quotient, too. There is only one such quotient for each value of `a`.
    fn divided(&self, a: &Linear, by: i64, scope: Option<&Scope<'_>>) -> Option<(Linear, Linear)> {
        let (mut quotient, mut rest) = (Linear::constant(0), *a);
        for &(atom, factor) in a.terms() {
            if factor.checked_rem(by)? == 0 {
                let atom = Linear::atom(atom);
                quotient = quotient.plus(factor / by, &atom)?;
                rest = rest.plus(factor.checked_neg()?, &atom)?;
            }
        }
        let values = self.bounds(&rest, scope)?;
        let below = floor(values.lo, by)?;
        if floor(values.hi, by)? != below {
            return None;
        }
        let way = below.checked_mul(i128::from(by))?;
        Some((quotient.plus_constant(below)?, rest.plus_constant(way.checked_neg()?)?))
    }

    /// Whether no bit can be set in both: `upper` is a multiple of `2^k`, and `0 <= lower < 2^k`.
    /// Then `|` and `^` add.
    fn are_disjoint(&self, upper: &Linear, lower: &Linear, scope: Option<&Scope<'_>>) -> bool {
        let factors = upper.terms().iter().map(|(_, factor)| i128::from(*factor));
        let zeros = factors.chain([upper.constant]).map(i128::trailing_zeros).min().unwrap_or(0).min(126);
        self.bounds(lower, scope).is_some_and(|lower| Interval::new(0, (1 << zeros) - 1).contains(lower))
    }

    /// `a ^ bits`, for bits that are not negative.
    ///
    /// For each run of ones, from bit `low` to below bit `high`: `a` is
    /// `2^high * q + 2^low * digit + rest` with `0 <= 2^low * digit + rest < 2^high` and
    /// `0 <= rest < 2^low`, which are the bits of `a`, also of a negative one. The run turns
    /// `digit` into `2^(high - low) - 1 - digit`.
    fn flipped(&self, mut a: Linear, bits: i128, scope: Option<&Scope<'_>>) -> Option<Linear> {
        let mut left = u64::try_from(bits).ok()?;
        while left != 0 {
            let low = left.trailing_zeros();
            let ones = (left >> low).trailing_ones();
            let high = low + ones;
            let (_, within) = self.divided(&a, power(high)?, scope)?;
            let (digit, _) = self.divided(&within, power(low)?, scope)?;
            let all = i128::from(power(high)?) - i128::from(power(low)?);
            a = a.plus(power(low + 1)?.checked_neg()?, &digit)?.plus_constant(all)?;
            left = left.checked_shr(high).unwrap_or(0).checked_shl(high).unwrap_or(0);
        }
        Some(a)
    }
}

/// A divisor.
fn positive(number: i128) -> Option<i64> {
    i64::try_from(number).ok().filter(|number| *number > 0)
}

/// `2^exponent`
fn power(exponent: u32) -> Option<i64> {
    (exponent < 63).then(|| 1 << exponent)
}
