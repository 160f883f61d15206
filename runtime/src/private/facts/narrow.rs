//! What conditions say.

use super::interval::{Interval, product};
use super::linear::{Atoms, Linear, Scope};
use super::{Comparison, Condition};

/// How often conditions are gone through: what one says may help another.
const PASSES: usize = 2;

impl<const N: usize> Atoms<'_, N> {
    /// Narrows the atoms to where all the conditions hold. `false`: they hold nowhere.
    pub(super) fn assume(&mut self, conditions: &[Condition], scope: Option<&Scope<'_>>) -> bool {
        (0..PASSES).all(|_| conditions.iter().all(|condition| self.assume_one(condition, scope)))
    }

    fn assume_one(&mut self, condition: &Condition, scope: Option<&Scope<'_>>) -> bool {
        if condition.comparison == Comparison::NotEqual {
            return self.difference(condition, scope).is_none_or(|difference| self.leave_out_root(&difference));
        }
        self.facts_of(condition, scope).iter().flatten().all(|fact| self.narrow(fact))
    }

    /// What is not negative where a condition holds. What it compares may not have wrapped, and then the machine compares
    /// exact values.
    pub(super) fn facts_of(&self, condition: &Condition, scope: Option<&Scope<'_>>) -> [Option<Linear>; 2] {
        let Some(difference) = self.difference(condition, scope) else { return [None, None] };
        match condition.comparison {
            Comparison::Less => [difference.plus_constant(-1), None],
            Comparison::LessOrEqual => [Some(difference), None],
            Comparison::Equal => [Some(difference), Linear::constant(0).minus(&difference)],
            Comparison::NotEqual => [None, None],
        }
    }

    /// `rhs - lhs`.
    fn difference(&self, condition: &Condition, scope: Option<&Scope<'_>>) -> Option<Linear> {
        let side = |form| self.exact(form, condition.ty, scope);
        side(&condition.rhs)?.minus(&side(&condition.lhs)?)
    }

    /// Narrows the atoms to where a sum is not negative. `false`: it always is.
    fn narrow(&mut self, fact: &Linear) -> bool {
        let Some(all) = self.box_of(fact) else { return true };
        fact.terms().iter().all(|&(atom, factor)| {
            let narrowed = self.value(atom).and_then(|value| Some((value, limit(value, i128::from(factor), all.hi)?)));
            narrowed.is_none_or(|(value, limit)| self.put(atom, value.meet(limit)))
        }) && all.hi >= 0
    }

    /// Narrows the only atom of a sum that varies to where the sum is not 0, if that takes an end off. `false`: it is
    /// always 0.
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

/// The values of an atom where a sum that holds it `factor` times, and is at most `most`, may be at least 0.
fn limit(value: Interval, factor: i128, most: i128) -> Option<Interval> {
    let own = product(factor, if factor > 0 { value.hi } else { value.lo })?;
    let rest = most.checked_sub(own)?;
    Some(if factor > 0 {
        Interval::new(rest.div_euclid(factor).checked_neg()?, i128::MAX)
    } else {
        Interval::new(i128::MIN, rest.div_euclid(-factor))
    })
}
