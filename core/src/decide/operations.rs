//! What is known of the results of operations.

use crate::facts::{Form, Value};
use crate::ops::Operation;

use super::interval::Interval;
use super::linear::Linear;
use super::scope::{Atoms, Scope};

/// Facts that come with a result: each is never negative.
pub(super) type Relations = [Option<Linear>; 2];

impl<const N: usize> Atoms<'_, N> {
    /// The values that the machine has for a form of a type: the exact ones unless they may have
    /// wrapped, otherwise any.
    pub(super) fn machine(&self, form: &Form, ty: usize, scope: Option<&Scope<'_>>) -> Option<Interval> {
        let ty = (self.numbers.types)(ty)?;
        match self.interval(form, scope) {
            Some(values) if ty.holds(values) => Some(values),
            _ => ty.range(),
        }
    }

    /// A form whose values the machine has as they are.
    pub(super) fn exact(&self, form: &Form, ty: usize, scope: Option<&Scope<'_>>) -> Option<Linear> {
        let mut linear = Linear::constant(0);
        self.add(&mut linear, 1, &form.value)?;
        self.fits(form, (self.numbers.types)(ty)?, scope).then_some(linear)
    }

    /// The values that an operation may give.
    pub(super) fn result(&self, value: &Value, scope: Option<&Scope<'_>>) -> Option<Interval> {
        if value.operation == Operation::Listed {
            let number = |at: usize| self.interval(value.operands.get(at)?, scope)?.value();
            return Some(Interval::new(number(0)?, number(1)?));
        }
        let ty = (self.numbers.types)(value.ty)?;
        let operand = |at: usize| self.machine(value.operands.get(at)?, value.ty, scope);
        let within = |values: Interval| ty.range().map_or(values, |range| values.meet(range));
        // A number that is out of its type saturates.
        let saturated = |lo: Option<i128>, hi: Option<i128>| {
            let range = ty.range()?;
            Some(Interval::new(lo?.clamp(range.lo, range.hi), hi?.clamp(range.lo, range.hi)))
        };
        let values = match value.operation {
            Operation::Any | Operation::Listed => ty.range()?,
            // A ring operation, as those of forms: exact, whatever has wrapped.
            Operation::Mul => {
                let factor = |at: usize| self.interval(value.operands.get(at)?, scope);
                return factor(0)?.product(factor(1)?);
            }
            Operation::AbsDiff => {
                let (a, b) = (operand(0)?, operand(1)?);
                let (lo, hi) = (a.lo.checked_sub(b.hi)?, a.hi.checked_sub(b.lo)?);
                let most = lo.checked_abs()?.max(hi.checked_abs()?);
                return Some(Interval::new(if lo > 0 { lo } else { hi.min(0).checked_neg()? }, most));
            }
            Operation::Div => quotient(operand(0)?, operand(1)?)?,
            Operation::Rem => remainder(operand(0)?, operand(1)?)?,
            Operation::RemEuclid => {
                let (a, b) = (operand(0)?, operand(1)?);
                if a.lo >= 0 { remainder(a, b)? } else { Interval::new(0, size(b)?.checked_sub(1)?) }
            }
            Operation::And => match (operand(0)?, operand(1)?) {
                (a, b) if a.lo >= 0 && b.lo >= 0 => Interval::new(0, a.hi.min(b.hi)),
                (mask, _) | (_, mask) if mask.lo >= 0 => Interval::new(0, mask.hi),
                _ => ty.range()?,
            },
            // No bit above those of both.
            Operation::Or | Operation::Xor => match (operand(0)?, operand(1)?) {
                (a, b) if a.lo >= 0 && b.lo >= 0 => {
                    let least = if value.operation == Operation::Or { a.lo.max(b.lo) } else { 0 };
                    let above = u128::try_from(a.hi.max(b.hi)).ok()?.checked_add(1)?.checked_next_power_of_two()?;
                    Interval::new(least, i128::try_from(above).ok()? - 1)
                }
                _ => ty.range()?,
            },
            Operation::Shr => {
                let most = i128::from(ty.bits.checked_sub(1)?);
                let by = match operand(1) {
                    Some(by) if by.lo >= 0 && by.hi <= most => by,
                    _ => Interval::new(0, most),
                };
                let a = operand(0)?;
                Interval::around([a.lo >> by.lo, a.lo >> by.hi, a.hi >> by.lo, a.hi >> by.hi])
            }
            Operation::Min => {
                let (a, b) = (operand(0)?, operand(1)?);
                Interval::new(a.lo.min(b.lo), a.hi.min(b.hi))
            }
            Operation::Max => {
                let (a, b) = (operand(0)?, operand(1)?);
                Interval::new(a.lo.max(b.lo), a.hi.max(b.hi))
            }
            Operation::Clamp => {
                let (a, lo, hi) = (operand(0)?, operand(1)?, operand(2)?);
                // `lo > hi` panics.
                Interval::new(a.lo.min(hi.lo).max(lo.lo), a.hi.max(lo.hi).min(hi.hi))
            }
            Operation::SaturatingSub => {
                let (a, b) = (operand(0)?, operand(1)?);
                saturated(a.lo.checked_sub(b.hi), a.hi.checked_sub(b.lo))?
            }
            Operation::SaturatingAdd => {
                let (a, b) = (operand(0)?, operand(1)?);
                saturated(a.lo.checked_add(b.lo), a.hi.checked_add(b.hi))?
            }
        };
        Some(within(values))
    }

    /// How a result relates to the operands, where that says more than its interval. Nothing of it
    /// may have wrapped.
    pub(super) fn relations(&self, atom: usize, value: &Value, scope: Option<&Scope<'_>>) -> Relations {
        self.related(atom, value, scope).unwrap_or_default()
    }

    fn related(&self, atom: usize, value: &Value, scope: Option<&Scope<'_>>) -> Option<Relations> {
        let (result, ty) = (Linear::atom(atom), (self.numbers.types)(value.ty)?);
        let exact = |at: usize| self.exact(value.operands.get(at)?, value.ty, scope);
        let number = |at: usize| self.machine(value.operands.get(at)?, value.ty, scope)?.value();
        let relations = match value.operation {
            Operation::Div | Operation::Shr => {
                let by = match value.operation {
                    Operation::Div => number(1)?,
                    _ => 1i128.checked_shl(u32::try_from(number(1)?).ok().filter(|by| *by < ty.bits.min(62))?)?,
                };
                let (by, a) = (i64::try_from(by).ok().filter(|by| *by > 0)?, exact(0)?);
                if self.bounds(&a, scope)?.lo < 0 && value.operation == Operation::Div {
                    return None;
                }
                // by * result <= a <= by * result + by - 1
                let rest = a.plus(-by, &result)?;
                [Some(rest), Linear::constant(i128::from(by - 1)).minus(&rest)]
            }
            Operation::Rem | Operation::RemEuclid => {
                let a = exact(0)?;
                if self.bounds(&a, scope)?.lo < 0 {
                    return None;
                }
                [a.minus(&result), None]
            }
            Operation::Min => [0, 1].map(|at| exact(at)?.minus(&result)),
            Operation::Max => [0, 1].map(|at| result.minus(&exact(at)?)),
            Operation::Clamp => [result.minus(&exact(1)?), exact(2)?.minus(&result)],
            Operation::SaturatingSub if !(self.numbers.types)(value.ty)?.signed => {
                let (a, b) = (exact(0)?, exact(1));
                [a.minus(&result), b.and_then(|b| result.plus(1, &b)?.minus(&a))]
            }
            Operation::Any
            | Operation::Listed
            | Operation::Mul
            | Operation::And
            | Operation::Or
            | Operation::Xor
            | Operation::SaturatingSub
            | Operation::SaturatingAdd
            | Operation::AbsDiff => return None,
        };
        Some(relations.map(|r| r.filter(|r| r.terms().len() > 1)))
    }
}

/// The largest absolute value, which must not be 0.
fn size(divisor: Interval) -> Option<i128> {
    let size = divisor.lo.checked_abs()?.max(divisor.hi.checked_abs()?);
    (size > 0).then_some(size)
}

/// `a / b`; a division by 0 gives nothing.
fn quotient(a: Interval, b: Interval) -> Option<Interval> {
    let mut all = Interval::EMPTY;
    // It is monotonic in both where the divisor has one sign.
    for part in [b.meet(Interval::new(1, i128::MAX)), b.meet(Interval::new(i128::MIN, -1))] {
        if !part.is_empty() {
            for (a, b) in [(a.lo, part.lo), (a.lo, part.hi), (a.hi, part.lo), (a.hi, part.hi)] {
                all = all.hull(Interval::point(a.checked_div(b)?));
            }
        }
    }
    (!all.is_empty()).then_some(all)
}

/// `a % b`, with the sign of `a`.
fn remainder(a: Interval, b: Interval) -> Option<Interval> {
    if b.lo > 0 && a.lo >= 0 && a.hi < b.lo {
        return Some(a);
    }
    let most = size(b)?.checked_sub(1)?;
    Some(Interval::new(a.lo.max(-most).min(0), a.hi.min(most).max(0)))
}
