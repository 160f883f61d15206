//! What conditions say.

use crate::facts::Condition;
use crate::ops::Comparison;

use super::interval::{Interval, ceiling, floor, product};
use super::linear::Linear;
use super::scope::{Atoms, Scope};

/// Numbers of conditions; those from 64 on are always among them.
#[derive(Clone, Copy)]
pub(super) struct Open(u64);

impl Open {
    pub(super) fn has(self, condition: usize) -> bool {
        condition >= 64 || self.0 & (1 << condition) != 0
    }
}

impl<const N: usize> Atoms<'_, N> {
    /// Narrows the atoms to where all the conditions hold. Returns those that say more than the
    /// intervals of the atoms do now; `None`: there is no such place.
    pub(super) fn assume(&mut self, conditions: &[Condition], scope: Option<&Scope<'_>>) -> Option<Open> {
        let mut open = Open(u64::MAX);
        // Twice: what one says may help another.
        for _ in 0..2 {
            for (at, condition) in conditions.iter().enumerate() {
                if open.has(at) && !self.assume_one(condition, scope)? && at < 64 {
                    open.0 &= !(1 << at);
                }
            }
            if conditions.len() == 1 {
                break;
            }
        }
        Some(open)
    }

    /// Whether the condition says more than the intervals of the atoms do now; `None`: it holds
    /// nowhere.
    fn assume_one(&mut self, condition: &Condition, scope: Option<&Scope<'_>>) -> Option<bool> {
        let Some(difference) = self.difference(condition, scope) else { return Some(true) };
        if condition.comparison == Comparison::NotEqual {
            self.leave_out_root(&difference).then_some(true)
        } else {
            let facts = facts_of(condition, &difference);
            let holds = facts.iter().flatten().all(|fact| self.narrow(fact));
            holds.then_some(difference.terms().len() > 1)
        }
    }

    /// What is not negative where a condition holds, if that says more than the intervals of atoms.
    pub(super) fn relations_of(&self, condition: &Condition, scope: Option<&Scope<'_>>) -> [Option<Linear>; 2] {
        let difference = self.difference(condition, scope).filter(|difference| difference.terms().len() > 1);
        difference.map_or([None, None], |difference| facts_of(condition, &difference))
    }

    /// `rhs - lhs`. Neither may have wrapped, and so the machine compares exact values.
    pub(super) fn difference(&self, condition: &Condition, scope: Option<&Scope<'_>>) -> Option<Linear> {
        let ty = (self.numbers.types)(condition.ty)?;
        let mut difference = Linear::constant(0);
        self.add(&mut difference, 1, &condition.rhs.value)?;
        self.add(&mut difference, -1, &condition.lhs.value)?;
        (self.fits(&condition.lhs, ty, scope) && self.fits(&condition.rhs, ty, scope)).then_some(difference)
    }

    /// Narrows the atoms to where a sum is not negative. `false`: it always is.
    pub(super) fn narrow(&mut self, fact: &Linear) -> bool {
        let Some(all) = self.box_of(fact) else { return true };
        fact.terms().iter().all(|&(atom, factor)| {
            let narrowed = self.value(atom).and_then(|value| Some((value, limit(value, factor, all.hi)?)));
            narrowed.is_none_or(|(value, limit)| self.put(atom, value.meet(limit)))
        }) && all.hi >= 0
    }

    /// Narrows the only atom of a sum that varies to where the sum is not 0, if that takes an end
    /// off. `false`: it is always 0.
    fn leave_out_root(&mut self, sum: &Linear) -> bool {
        let Some(all) = self.box_of(sum) else { return true };
        let varies = |(atom, _): &&(usize, i64)| self.value(*atom).is_some_and(|value| value.value().is_none());
        let mut varying = sum.terms().iter().filter(varies);
        let (Some(&(atom, factor)), None) = (varying.next(), varying.next()) else { return all != Interval::point(0) };
        let Some(mut value) = self.value(atom) else { return true };
        // `all.lo` is where the term is least.
        let least = if factor > 0 { value.lo } else { value.hi };
        let factor = i128::from(factor);
        let root = least.checked_sub(all.lo.div_euclid(factor)).filter(|_| all.lo % factor == 0);
        value.lo += i128::from(root == Some(value.lo));
        value.hi -= i128::from(root == Some(value.hi));
        self.put(atom, value)
    }

    /// `false`: there is no value.
    fn put(&mut self, atom: usize, value: Interval) -> bool {
        if let Some(at) = self.values.get_mut(atom) {
            *at = value;
        }
        !value.is_empty()
    }
}

/// What is not negative where a condition holds.
fn facts_of(condition: &Condition, difference: &Linear) -> [Option<Linear>; 2] {
    match condition.comparison {
        Comparison::Less => [difference.plus_constant(-1), None],
        Comparison::LessOrEqual => [Some(*difference), None],
        Comparison::Equal => [Some(*difference), Linear::constant(0).minus(difference)],
        Comparison::NotEqual => [None, None],
    }
}

/// The values of an atom where a sum that holds it `factor` times, and is at most `most`, may be at
/// least 0.
fn limit(value: Interval, factor: i64, most: i128) -> Option<Interval> {
    let own = product(i128::from(factor), if factor > 0 { value.hi } else { value.lo })?;
    // `factor * atom >= own - most`
    let least = own.checked_sub(most)?;
    Some(if factor > 0 {
        Interval::new(ceiling(least, factor)?, i128::MAX)
    } else {
        Interval::new(i128::MIN, floor(least.checked_neg()?, factor.checked_neg()?)?)
    })
}
