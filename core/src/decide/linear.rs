//! Linear sums of atoms.

use super::interval::product;

/// More atoms that vary are in no index that a launch can decide.
const MOST_TERMS: usize = 8;

/// `constant + Σ factor * atom`, exact over the integers. The atoms are the loop variables and
/// those that vary, each once, with factors that are not 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Linear {
    pub(super) constant: i128,
    terms: [(usize, i64); MOST_TERMS],
    count: usize,
}

impl Linear {
    pub(super) fn constant(constant: i128) -> Self {
        Self { constant, terms: [(0, 0); MOST_TERMS], count: 0 }
    }

    pub(super) fn atom(atom: usize) -> Self {
        let mut linear = Self::constant(0);
        linear.terms[0] = (atom, 1);
        linear.count = 1;
        linear
    }

    /// Atoms and their factors.
    pub(super) fn terms(&self) -> &[(usize, i64)] {
        self.terms.get(..self.count).unwrap_or_default()
    }

    /// The factor of an atom.
    pub(super) fn factor(&self, atom: usize) -> i64 {
        self.terms().iter().find(|(of, _)| *of == atom).map_or(0, |(_, factor)| *factor)
    }

    /// Adds `factor * atom`.
    pub(super) fn add_term(&mut self, atom: usize, factor: i64) -> Option<()> {
        let count = self.count;
        if let Some(at) = self.terms().iter().position(|(of, _)| *of == atom) {
            let sum = self.terms[at].1.checked_add(factor)?;
            self.terms[at].1 = sum;
            if sum == 0 {
                self.count -= 1;
                self.terms.swap(at, self.count);
            }
        } else if factor != 0 {
            *self.terms.get_mut(count)? = (atom, factor);
            self.count += 1;
        }
        Some(())
    }

    /// `self + times * other`.
    pub(super) fn plus(&self, times: i64, other: &Self) -> Option<Self> {
        let mut sum = *self;
        sum.constant = sum.constant.checked_add(product(i128::from(times), other.constant)?)?;
        for (atom, factor) in other.terms() {
            sum.add_term(*atom, factor.checked_mul(times)?)?;
        }
        Some(sum)
    }

    /// `self + number`.
    pub(super) fn plus_constant(&self, number: i128) -> Option<Self> {
        Some(Self { constant: self.constant.checked_add(number)?, ..*self })
    }

    /// `self - other`.
    pub(super) fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(-1, other)
    }
}

/// By what a fact must be multiplied to take an atom out of a sum.
pub(super) fn multiples(linear: &Linear, fact: &Linear) -> impl Iterator<Item = i64> {
    linear.terms().iter().filter_map(|&(atom, factor)| {
        let of_fact = fact.factor(atom);
        (factor.checked_rem(of_fact)? == 0).then(|| factor / of_fact).filter(|times| *times != i64::MIN)
    })
}
