//! Forms with the numbers of a launch put in: what is left of them is linear.

use anabranch_core::facts::{Cast, Form, Polynomial, Term};

use super::aliases::{Aliases, bit};
use super::interval::{Interval, product};
use super::made::AllMade;
use super::races::{Inner, Said};
use super::splits::Vars;
use super::{IntType, Numbers};

/// More atoms that vary are in no index that a launch can decide.
const MOST_TERMS: usize = 8;
/// Facts are tried in pairs, at every launch that nothing else decides: those further out are left alone.
const MOST_FACTS: usize = 16;

/// `constant + Σ factor * atom`, exact over the integers. The atoms are the loop variables and those that vary, each once,
/// with factors that are not 0.
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
    fn add_term(&mut self, atom: usize, factor: i64) -> Option<()> {
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

/// What is known of the atoms at a place in the body.
pub(super) struct Atoms<'a, const N: usize> {
    pub(super) values: &'a mut [Interval; N],
    /// Those that stand for sums. Their intervals are beside them, for the quick tests.
    pub(super) aliases: Aliases<'a>,
    /// What iterations differ in.
    pub(super) vars: Vars<'a>,
    /// What they make. A place is of one atom for good, because accesses refer to it.
    pub(super) made: AllMade,
    /// What conditions say of these.
    pub(super) said: Said,
    /// The symbols that are no integers.
    pub(super) no_numbers: u64,
    pub(super) numbers: &'a Numbers<'a>,
}

/// What holds at a place in the body: its facts are never negative, nor are those around it.
pub(super) struct Scope<'s> {
    pub(super) outer: Option<&'s Scope<'s>>,
    pub(super) facts: [Option<Linear>; 2],
    /// The inner loop that begins here.
    pub(super) inner: Option<&'s Inner>,
}

impl<const N: usize> Atoms<'_, N> {
    pub(super) fn value(&self, atom: usize) -> Option<Interval> {
        self.values.get(atom)?.known()
    }

    /// The number that an atom is known to be. Loop variables stay atoms: two iterations differ in them.
    fn number(&self, atom: usize, value: Interval) -> Option<i128> {
        value.value().filter(|_| self.vars.place(atom).is_none())
    }

    /// An atom, or its number, or the sum that it stands for.
    pub(super) fn atom(&self, atom: usize) -> Option<Linear> {
        let number = self.number(atom, self.value(atom)?).map(Linear::constant);
        Some(number.or_else(|| self.aliases.of(atom).copied()).unwrap_or_else(|| Linear::atom(atom)))
    }

    /// A form, where all its casts hold.
    pub(super) fn linear(&self, form: &Form, scope: Option<&Scope<'_>>) -> Option<Linear> {
        let mut linear = Linear::constant(0);
        self.add(&mut linear, 1, &form.value)?;
        self.casts_hold(form, scope).then_some(linear)
    }

    /// Adds `times * sum`.
    pub(super) fn add(&self, linear: &mut Linear, times: i64, sum: &Polynomial) -> Option<()> {
        for term in &sum.terms {
            let (factor, atom) = self.term(term)?;
            let factor = product(factor, i128::from(times))?;
            match atom {
                None => linear.constant = linear.constant.checked_add(factor)?,
                Some(atom) => {
                    let factor = i64::try_from(factor).ok()?;
                    match self.aliases.of(atom) {
                        None => linear.add_term(atom, factor)?,
                        Some(sum) => *linear = linear.plus(factor, sum)?,
                    }
                }
            }
        }
        Some(())
    }

    /// Whether a form has the machine's values: it is made of integers, what has cancelled in it included, and nothing is widened that may have
    /// wrapped.
    fn casts_hold(&self, form: &Form, scope: Option<&Scope<'_>>) -> bool {
        if self.no_numbers != 0 && form.atoms().any(|atom| self.no_numbers & bit(atom) != 0) {
            return false;
        }
        let types = |cast: &Cast| Some(((self.numbers.types)(cast.from)?, (self.numbers.types)(cast.to)?));
        form.casts.iter().all(|cast| {
            types(cast).is_some_and(|(from, to)| to.bits <= from.bits || self.all_in(&cast.value, from, scope))
        })
    }

    /// Whether all values of a form are values of a type, and those that the machine has.
    pub(super) fn fits(&self, form: &Form, ty: IntType, scope: Option<&Scope<'_>>) -> bool {
        self.all_in(&form.value, ty, scope) && self.casts_hold(form, scope)
    }

    fn all_in(&self, sum: &Polynomial, ty: IntType, scope: Option<&Scope<'_>>) -> bool {
        let fits = |values: Option<Interval>| values.is_some_and(|values| ty.holds(values));
        fits(self.box_of_terms(sum)) || fits(self.values_of(sum, scope))
    }

    /// A term: a number, and the atom that varies.
    fn term(&self, term: &Term) -> Option<(i128, Option<usize>)> {
        let (mut factor, mut varying) = (i128::from(term.factor), None);
        for &atom in &term.atoms {
            match (self.number(atom, self.value(atom)?), varying) {
                (Some(number), _) => factor = product(factor, number)?,
                (None, None) => varying = Some(atom),
                (None, Some(_)) => return None,
            }
        }
        Some((factor, varying))
    }

    /// Values around those of a form, where all its casts hold: quickly, and the exact ones if it has one term.
    pub(super) fn rough(&self, form: &Form, scope: Option<&Scope<'_>>) -> Option<Interval> {
        let values = self.box_of_terms(&form.value)?;
        self.casts_hold(form, scope).then_some(values)
    }

    /// Values around those of a sum, from the intervals of its atoms alone.
    fn box_of_terms(&self, sum: &Polynomial) -> Option<Interval> {
        sum.terms.iter().try_fold(Interval::point(0), |values, term| match self.term(term)? {
            (factor, None) => values.plus(1, Interval::point(factor)),
            (factor, Some(atom)) => values.plus(factor, self.value(atom)?),
        })
    }

    /// The values of a sum.
    fn values_of(&self, sum: &Polynomial, scope: Option<&Scope<'_>>) -> Option<Interval> {
        let one_term = sum.terms.iter().filter(|term| !term.atoms.is_empty()).nth(1).is_none();
        if one_term && self.aliases.is_empty() {
            return self.box_of_terms(sum);
        }
        let mut linear = Linear::constant(0);
        self.add(&mut linear, 1, sum)?;
        self.bounds(&linear, scope)
    }

    /// The values of a form, where all its casts hold.
    pub(super) fn interval(&self, form: &Form, scope: Option<&Scope<'_>>) -> Option<Interval> {
        self.values_of(&form.value, scope).filter(|_| self.casts_hold(form, scope))
    }

    /// The values of a sum, from the intervals of its atoms alone.
    pub(super) fn box_of(&self, linear: &Linear) -> Option<Interval> {
        linear.terms().iter().try_fold(Interval::point(linear.constant), |sum, &(atom, factor)| {
            sum.plus(i128::from(factor), self.value(atom)?)
        })
    }

    /// The values of a sum, with one of the facts at hand.
    pub(super) fn bounds(&self, linear: &Linear, scope: Option<&Scope<'_>>) -> Option<Interval> {
        self.bounds_by(linear, scope, 1)
    }

    /// The values of a sum, with so many of the facts together.
    pub(super) fn bounds_by(&self, linear: &Linear, scope: Option<&Scope<'_>>, facts_used: u32) -> Option<Interval> {
        let mut bounds = self.box_of(linear)?;
        if facts_used == 0 || linear.terms().is_empty() {
            return Some(bounds);
        }
        for fact in facts(scope) {
            for times in multiples(linear, fact) {
                // `linear = rest + times * fact`, where the fact is not negative.
                let rest = linear.plus(-times, fact).and_then(|rest| self.bounds_by(&rest, scope, facts_used - 1));
                bounds = match rest {
                    Some(rest) if times > 0 => bounds.meet(Interval::new(rest.lo, bounds.hi)),
                    Some(rest) => bounds.meet(Interval::new(bounds.lo, rest.hi)),
                    None => bounds,
                };
            }
        }
        Some(bounds)
    }

    /// Whether a sum is never negative. So many facts may be needed for that.
    pub(super) fn not_negative(&self, linear: &Linear, scope: Option<&Scope<'_>>, needed: u32) -> bool {
        let Some(bounds) = self.box_of(linear) else { return false };
        let try_fact = |fact: &Linear| {
            multiples(linear, fact)
                .filter(|times| *times > 0)
                .filter_map(|times| linear.plus(-times, fact))
                .any(|rest| self.not_negative(&rest, scope, needed - 1))
        };
        bounds.lo >= 0 || needed > 0 && facts(scope).any(try_fact)
    }
}

/// The facts at a place, innermost first.
pub(super) fn facts<'s>(scope: Option<&'s Scope<'s>>) -> impl Iterator<Item = &'s Linear> {
    let all = std::iter::successors(scope, |scope| scope.outer).flat_map(|scope| scope.facts.iter().flatten());
    all.take(MOST_FACTS)
}

/// By what a fact must be multiplied to take an atom out of a sum.
pub(super) fn multiples(linear: &Linear, fact: &Linear) -> impl Iterator<Item = i64> {
    linear.terms().iter().filter_map(|&(atom, factor)| {
        let of_fact = fact.factor(atom);
        (factor.checked_rem(of_fact)? == 0).then(|| factor / of_fact).filter(|times| *times != i64::MIN)
    })
}
