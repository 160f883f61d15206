//! Forms: polynomials over the integers, in which indexes, conditions and ranges are compared.

use std::collections::BTreeMap;

use crate::ir::SlotId;

/// An unknown of a [`Form`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Atom {
    /// A variable of the `par` loop, by its place.
    Var(usize),
    /// A number that is the same for all iterations, by its place in the table of symbols.
    Symbol(usize),
    /// Anything else: the variable of an inner loop, the result of an operation.
    Other(usize),
}

/// Atoms that are multiplied, sorted; none is the constant.
type Monomial = Vec<Atom>;

/// `Σ factor * Π atoms`, exact over the integers.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Form {
    /// No factor is 0.
    pub(crate) terms: BTreeMap<Monomial, i64>,
    /// The same with nothing cancelled and all factors positive: bounds every partial result.
    pub(crate) size: BTreeMap<Monomial, i64>,
    /// Where the value is widened: it is the machine's only if none of these operands has wrapped before.
    pub(crate) casts: Vec<Cast>,
}

/// `value as to`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Cast {
    pub(crate) value: Form,
    pub(crate) from: SlotId,
    pub(crate) to: SlotId,
}

/// Larger forms are not useful.
const MOST_TERMS: usize = 24;

impl Form {
    pub(crate) fn constant(value: i64) -> Self {
        Self::monomial(Vec::new(), value)
    }

    pub(crate) fn atom(atom: Atom) -> Self {
        Self::monomial(vec![atom], 1)
    }

    fn monomial(monomial: Monomial, factor: i64) -> Self {
        let mut form = Self::default();
        if factor != 0 {
            form.terms.insert(monomial.clone(), factor);
            form.size.insert(monomial, factor.saturating_abs());
        }
        form
    }

    /// The number, if it is one.
    pub(crate) fn literal(&self) -> Option<i64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&[] as &[Atom]).copied(),
            _ => None,
        }
    }

    /// Every symbol, also those that have cancelled.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = usize> {
        self.atoms().filter_map(|atom| match atom {
            Atom::Symbol(at) => Some(at),
            Atom::Var(_) | Atom::Other(_) => None,
        })
    }

    /// What does not depend on atoms.
    pub(crate) fn offset(&self) -> i64 {
        self.terms.get(&[] as &[Atom]).copied().unwrap_or(0)
    }

    /// Every atom.
    pub(crate) fn atoms(&self) -> impl Iterator<Item = Atom> {
        let own = self.terms.keys().chain(self.size.keys()).flatten().copied();
        let casts: Vec<Atom> = self.casts.iter().flat_map(|cast| cast.value.atoms().collect::<Vec<_>>()).collect();
        own.chain(casts)
    }

    /// `None`: too large to be of use.
    pub(crate) fn add(&self, other: &Form) -> Option<Form> {
        self.combine(other, 1)
    }

    pub(crate) fn sub(&self, other: &Form) -> Option<Form> {
        self.combine(other, -1)
    }

    fn combine(&self, other: &Form, sign: i64) -> Option<Form> {
        let mut sum = self.clone();
        for (monomial, factor) in &other.terms {
            insert(&mut sum.terms, monomial.clone(), factor.checked_mul(sign)?)?;
        }
        for (monomial, factor) in &other.size {
            insert(&mut sum.size, monomial.clone(), *factor)?;
        }
        sum.casts.extend(other.casts.iter().cloned());
        sum.checked()
    }

    pub(crate) fn neg(&self) -> Option<Form> {
        Form::default().sub(self)
    }

    /// The product. Its terms may hold several atoms that depend on the iteration.
    pub(crate) fn mul(&self, other: &Form) -> Option<Form> {
        let product = |a: &BTreeMap<Monomial, i64>, b: &BTreeMap<Monomial, i64>| {
            let mut product = BTreeMap::new();
            for (x, f) in a {
                for (y, g) in b {
                    let mut atoms: Monomial = x.iter().chain(y).copied().collect();
                    atoms.sort_unstable();
                    insert(&mut product, atoms, f.checked_mul(*g)?)?;
                }
            }
            Some(product)
        };
        Form {
            terms: product(&self.terms, &other.terms)?,
            size: product(&self.size, &other.size)?,
            casts: self.casts.iter().chain(&other.casts).cloned().collect(),
        }
        .checked()
    }

    fn checked(self) -> Option<Form> {
        (self.terms.len() <= MOST_TERMS && self.size.len() <= MOST_TERMS && self.casts.len() <= MOST_TERMS)
            .then_some(self)
    }

    /// Puts a form in the place of an atom.
    pub(crate) fn with(&self, atom: Atom, value: &Form) -> Option<Form> {
        let mut result = Form { casts: self.casts.clone(), ..Form::default() };
        for (monomial, factor) in &self.terms {
            let mut product = Form::constant(*factor);
            for part in monomial {
                product = product.mul(&if *part == atom { value.clone() } else { Form::atom(*part) })?;
            }
            result = result.add(&product)?;
        }
        Some(result)
    }

    /// The factor of an atom, a form, and what is left. `None`: the form contains a power of the atom.
    pub(crate) fn split(&self, atom: Atom) -> Option<(Form, Form)> {
        let (mut factor, mut rest) = (Form::default(), Form { casts: self.casts.clone(), ..Form::default() });
        for (monomial, number) in &self.terms {
            let others: Monomial = monomial.iter().filter(|a| **a != atom).copied().collect();
            let part = Form::monomial(others.clone(), *number);
            match monomial.len() - others.len() {
                0 => rest = rest.add(&part)?,
                1 => factor = factor.add(&part)?,
                _ => return None,
            }
        }
        Some((factor, rest))
    }

    /// The value where each atom has a number.
    pub(crate) fn value(&self, number: &impl Fn(Atom) -> Option<i64>) -> Option<i64> {
        self.terms.iter().try_fold(0i64, |sum, (monomial, factor)| {
            let product = monomial.iter().try_fold(*factor, |product, atom| product.checked_mul(number(*atom)?))?;
            sum.checked_add(product)
        })
    }

    /// Whether it is above 0 wherever all atoms are at least 1.
    pub(crate) fn is_positive(&self) -> bool {
        // In terms of atoms that are at least 0, nothing may be negative.
        let mut atoms: Vec<Atom> = self.terms.keys().flatten().copied().collect();
        atoms.sort_unstable();
        atoms.dedup();
        let shifted = atoms
            .iter()
            .try_fold(self.clone(), |form, &atom| form.with(atom, &Form::atom(atom).add(&Form::constant(1))?));
        shifted.is_some_and(|form| form.offset() > 0 && form.terms.values().all(|factor| *factor > 0))
    }
}

fn insert(terms: &mut BTreeMap<Monomial, i64>, monomial: Monomial, factor: i64) -> Option<()> {
    let sum = terms.get(&monomial).copied().unwrap_or(0).checked_add(factor)?;
    if sum == 0 {
        terms.remove(&monomial);
    } else {
        terms.insert(monomial, sum);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(at: usize) -> Form {
        Form::atom(Atom::Symbol(at))
    }

    #[test]
    fn forms_are_polynomials() {
        let (i, n) = (Form::atom(Atom::Var(0)), symbol(0));
        let one = Form::constant(1);
        // (i + 1) * n - n - i * n
        let product = i.add(&one).and_then(|sum| sum.mul(&n));
        let rest = product.and_then(|p| p.sub(&n)).and_then(|p| p.sub(&i.mul(&n)?));
        assert_eq!(rest.as_ref().and_then(Form::literal), Some(0));
        // Its partial results were not 0.
        assert_eq!(rest.map(|r| r.size.len()), Some(2));
        let (factor, left) = i.mul(&n).and_then(|p| p.sub(&one)).and_then(|p| p.split(Atom::Var(0))).unwrap();
        assert_eq!((factor.terms, left.literal()), (n.terms, Some(-1)));
    }

    #[test]
    fn signs_hold_for_all_sizes() {
        let (a, b) = (symbol(0), symbol(1));
        let difference = |x: Option<Form>, y: Option<Form>| x.unwrap().sub(&y.unwrap()).unwrap();
        assert!(difference(a.mul(&b), a.mul(&b).and_then(|p| p.sub(&Form::constant(1)))).is_positive());
        assert!(difference(a.add(&b), Some(Form::constant(1))).is_positive());
        assert!(!difference(Some(a.clone()), Some(Form::constant(1))).is_positive());
        assert!(!difference(Some(a), Some(b)).is_positive());
    }
}
