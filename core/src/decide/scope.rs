//! What is known at a place in the body: of the atoms, from the loops and conditions around it.

use crate::facts::{Cast, Form, Polynomial, Term};
use crate::scalar::IntType;

use super::aliases::{Aliases, bit};
use super::interval::{Interval, product};
use super::linear::{Linear, multiples};
use super::numbers::{AXES, Numbers};
use super::splits::Vars;

/// Facts are tried in pairs, at every launch that nothing else decides: those further out are left
/// alone.
const MOST_FACTS: usize = 16;

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

/// How an inner loop begins.
pub(super) struct Inner {
    pub(super) atom: usize,
    pub(super) start: Linear,
    pub(super) stride: i64,
}

/// What the conditions around a place say of the variables of the loop.
#[derive(Clone, Copy, Default)]
pub(super) struct Said {
    pub(super) tied: Option<Tied>,
    pub(super) congruences: [Option<Congruence>; 3],
    /// Variables, and a value that each does not have, as `if i != k` says.
    pub(super) holes: [Option<(usize, i128)>; 2],
}

/// `variable = constant + factor * other`, as `if i == j` says. So where the other one is equal, it
/// is equal, too. Indexes that are made there mention the other one in its place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Tied {
    pub(super) variable: usize,
    pub(super) other: usize,
    pub(super) factor: i64,
    pub(super) constant: i128,
}

/// `Σ factor * variable + rest` is a multiple of `modulus`, as `if (x + y) % 2 == color` says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Congruence {
    pub(super) factors: [i64; AXES],
    pub(super) rest: i64,
    pub(super) modulus: i64,
}

/// The most [results of variables](super::made). Others are known by their intervals.
pub(super) const MOST_MADE: usize = 4;

/// All that are known at a place.
pub(super) type AllMade = [Option<Made>; MOST_MADE];

/// An atom, and how variables make it.
#[derive(Clone, Copy)]
pub(super) struct Made {
    pub(super) atom: usize,
    pub(super) how: How,
}

#[derive(Clone, Copy)]
pub(super) enum How {
    /// The atom is at least 0 and below the modulus, and equal to the sum modulo that.
    Remainder(Congruence),
    Curve(Curve),
}

/// `c[0] + c[1] * v + c[2] * v * (v - 1) / 2` of a variable `v`.
///
/// Every polynomial of degree 2 is one of these. It is a multiple of `d` for all `v` if and only if
/// all `c` are: they are its differences at 0.
#[derive(Clone, Copy)]
pub(super) struct Curve {
    pub(super) variable: usize,
    pub(super) c: [i128; 3],
}

impl<const N: usize> Atoms<'_, N> {
    pub(super) fn value(&self, atom: usize) -> Option<Interval> {
        self.values.get(atom)?.known()
    }

    /// The number that an atom is known to be. Loop variables stay atoms: two iterations differ in
    /// them.
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

    /// Whether a form has the machine's values: it is made of integers, what has cancelled in it
    /// included, and nothing is widened that may have wrapped.
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

    /// Values around those of a form, where all its casts hold: quickly, and the exact ones if it
    /// has one term.
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

/// The inner loops at a place, innermost first, that the intervals of their variables do not
/// describe.
pub(super) fn inner_loops<'s>(scope: Option<&'s Scope<'s>>) -> impl Iterator<Item = &'s Inner> {
    std::iter::successors(scope, |scope| scope.outer).filter_map(|scope| scope.inner)
}
