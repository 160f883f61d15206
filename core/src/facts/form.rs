//! Forms: polynomials over the integers, in which indexes, conditions and ranges are compared.

/// A sum of terms, exact over the integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Polynomial<A = usize> {
    /// Sorted; no two with the same atoms.
    pub terms: Vec<Term<A>>,
}

/// `factor * Π atoms`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term<A = usize> {
    /// Sorted; an atom may occur twice. The constant has none.
    pub atoms: Vec<A>,
    /// Not 0.
    pub factor: i64,
}

/// A number, and how the machine comes to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form<A = usize> {
    /// The number.
    pub value: Polynomial<A>,
    /// The same with nothing cancelled and all factors positive. With `max(1, |atom|)` for each
    /// atom it bounds every partial result, in absolute value.
    pub size: Polynomial<A>,
    /// What must hold for the machine's value to be this one, modulo 2^width of its type.
    pub casts: Vec<Cast<A>>,
}

/// `value as to` where `value` is a `from`. If `to` is wider, the exact value must be one of
/// `from`, and what has made it is among the casts of the same form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cast<A = usize> {
    /// The operand.
    pub value: Polynomial<A>,
    /// Slot of the operand's type.
    pub from: usize,
    /// Slot of the target type.
    pub to: usize,
}

/// Larger forms are not useful.
const MOST_TERMS: usize = 24;

impl<A> Default for Polynomial<A> {
    fn default() -> Self {
        Self { terms: Vec::new() }
    }
}

impl<A> Default for Form<A> {
    fn default() -> Self {
        Self { value: Polynomial::default(), size: Polynomial::default(), casts: Vec::new() }
    }
}

impl<A> Polynomial<A> {
    fn term(atoms: Vec<A>, factor: i64) -> Self {
        Self { terms: if factor == 0 { Vec::new() } else { vec![Term { atoms, factor }] } }
    }

    /// Whether it is the number 0.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// What does not depend on atoms.
    pub fn constant(&self) -> i64 {
        self.terms.first().filter(|first| first.atoms.is_empty()).map_or(0, |first| first.factor)
    }

    /// Every atom.
    pub fn atoms(&self) -> impl Iterator<Item = &A> {
        self.terms.iter().flat_map(|term| &term.atoms)
    }

    fn map<B>(&self, of: &impl Fn(&A) -> B) -> Polynomial<B> {
        let term = |term: &Term<A>| Term { atoms: term.atoms.iter().map(of).collect(), factor: term.factor };
        Polynomial { terms: self.terms.iter().map(term).collect() }
    }

    /// With all factors positive.
    pub(super) fn magnitudes(mut self) -> Self {
        self.terms.iter_mut().for_each(|term| term.factor = term.factor.saturating_abs());
        self
    }
}

impl<A: Copy + Ord> Polynomial<A> {
    /// The value where each atom has a number.
    pub fn number(&self, of: &impl Fn(A) -> Option<i64>) -> Option<i64> {
        self.terms.iter().try_fold(0i64, |sum, Term { atoms, factor }| {
            sum.checked_add(atoms.iter().try_fold(*factor, |product, atom| product.checked_mul(of(*atom)?))?)
        })
    }

    fn insert(&mut self, atoms: &[A], factor: i64) -> Option<()> {
        match self.terms.binary_search_by(|term| term.atoms.as_slice().cmp(atoms)) {
            Ok(at) => match self.terms[at].factor.checked_add(factor)? {
                0 => drop(self.terms.remove(at)),
                sum => self.terms[at].factor = sum,
            },
            Err(at) => self.terms.insert(at, Term { atoms: atoms.to_vec(), factor }),
        }
        Some(())
    }

    /// Adds `times * other`; `times` is not 0.
    fn add(&mut self, times: i64, other: &Self) -> Option<()> {
        other.terms.iter().try_for_each(|term| self.insert(&term.atoms, term.factor.checked_mul(times)?))
    }

    fn product(&self, other: &Self) -> Option<Self> {
        let mut product = Self::default();
        for (x, y) in self.terms.iter().flat_map(|x| other.terms.iter().map(move |y| (x, y))) {
            let mut atoms = [x.atoms.as_slice(), &y.atoms].concat();
            atoms.sort_unstable();
            product.insert(&atoms, x.factor.checked_mul(y.factor)?)?;
        }
        Some(product)
    }
}

impl<A> Form<A> {
    /// The number, if it is one; where atoms have cancelled, it is that of the machine only if all
    /// of them are integers and the casts hold.
    pub fn literal(&self) -> Option<i64> {
        self.value.atoms().next().is_none().then(|| self.value.constant())
    }

    /// The number, if nothing but numbers has made it.
    pub fn exact_literal(&self) -> Option<i64> {
        self.literal().filter(|_| self.casts.is_empty() && self.size.atoms().next().is_none())
    }

    /// The same with other names for atoms, in the same order.
    pub fn map<B>(&self, of: &impl Fn(&A) -> B) -> Form<B> {
        let cast = |Cast { value, from, to }: &Cast<A>| Cast { value: value.map(of), from: *from, to: *to };
        Form { value: self.value.map(of), size: self.size.map(of), casts: self.casts.iter().map(cast).collect() }
    }
}

impl<A: Copy + Ord> Form<A> {
    /// A number.
    pub fn constant(number: i64) -> Self {
        Self::exact(Polynomial::term(Vec::new(), number))
    }

    /// An atom.
    pub fn atom(atom: A) -> Self {
        Self::exact(Polynomial::term(vec![atom], 1))
    }

    /// A number that the machine has as it is.
    fn exact(value: Polynomial<A>) -> Self {
        Self { size: value.clone().magnitudes(), value, casts: Vec::new() }
    }

    /// Every atom, also those that have cancelled.
    pub fn atoms(&self) -> impl Iterator<Item = A> {
        let casts = self.casts.iter().flat_map(|cast| cast.value.atoms());
        self.value.atoms().chain(self.size.atoms()).chain(casts).copied()
    }

    /// The sum. `None`: too large to be of use.
    pub fn add(&self, other: &Self) -> Option<Self> {
        self.combine(other, 1)
    }

    /// The difference.
    pub fn sub(&self, other: &Self) -> Option<Self> {
        self.combine(other, -1)
    }

    fn combine(&self, other: &Self, sign: i64) -> Option<Self> {
        let mut sum = self.clone();
        sum.value.add(sign, &other.value)?;
        sum.size.add(1, &other.size)?;
        sum.casts.extend(other.casts.iter().cloned());
        sum.checked()
    }

    /// `-self`.
    pub fn neg(&self) -> Option<Self> {
        Self::default().sub(self)
    }

    /// The product. Its terms may hold several atoms that depend on the iteration.
    pub fn mul(&self, other: &Self) -> Option<Self> {
        // Where a cast is multiplied by 0, its operand stays a partial result: the size tells how
        // often a form contains it.
        let size = match (self.size.is_zero(), other.size.is_zero()) {
            (true, _) if !other.casts.is_empty() => other.size.clone(),
            (_, true) if !self.casts.is_empty() => self.size.clone(),
            _ => self.size.product(&other.size)?,
        };
        let casts = [self.casts.as_slice(), &other.casts].concat();
        Self { value: self.value.product(&other.value)?, size, casts }.checked()
    }

    fn checked(self) -> Option<Self> {
        let counts = [self.value.terms.len(), self.size.terms.len(), self.casts.len()];
        counts.iter().all(|count| *count <= MOST_TERMS).then_some(self)
    }

    /// `self as to`, where `self` is a `from`.
    pub fn cast(mut self, from: usize, to: usize) -> Self {
        self.casts.push(Cast { value: self.value.clone(), from, to });
        self
    }

    /// Puts a form in the place of an atom.
    pub fn with(&self, atom: A, value: &Self) -> Option<Self> {
        let mut result = Self { casts: self.casts.clone(), ..Self::default() };
        for Term { atoms, factor } in &self.value.terms {
            let mut product = Self::constant(*factor);
            for part in atoms {
                product = product.mul(&if *part == atom { value.clone() } else { Self::atom(*part) })?;
            }
            result = result.add(&product)?;
        }
        Some(result)
    }

    /// Puts a form in the place of every atom, and other slots in the place of those of casts.
    /// `None`: too large to be of use.
    ///
    /// An atom is a number that the machine has, modulo 2^width of its type. So a form takes its
    /// place as a value takes that of an immutable variable: with its casts, and with the size of
    /// its partial results.
    pub fn substitute<B: Copy + Ord>(
        &self,
        value: &impl Fn(A) -> Form<B>,
        slot: &impl Fn(usize) -> usize,
    ) -> Option<Form<B>> {
        let sum = |of: &Polynomial<A>, part: &dyn Fn(A) -> Polynomial<B>| {
            let mut sum = Polynomial::default();
            for Term { atoms, factor } in &of.terms {
                let one = Polynomial::term(Vec::new(), *factor);
                sum.add(1, &atoms.iter().try_fold(one, |product, atom| product.product(&part(*atom)))?)?;
                if sum.terms.len() > MOST_TERMS {
                    return None;
                }
            }
            Some(sum)
        };
        // A size of 0 would hide what it is multiplied by.
        let size =
            |atom| Some(value(atom).size).filter(|size| !size.is_zero()).unwrap_or(Polynomial::term(Vec::new(), 1));
        let mut mentioned: Vec<A> = self.atoms().collect();
        mentioned.sort_unstable();
        mentioned.dedup();
        let mut casts: Vec<Cast<B>> = mentioned.into_iter().flat_map(|atom| value(atom).casts).collect();
        for cast in &self.casts {
            let operand = sum(&cast.value, &|atom| value(atom).value)?;
            casts.push(Cast { value: operand, from: slot(cast.from), to: slot(cast.to) });
        }
        Form { value: sum(&self.value, &|atom| value(atom).value)?, size: sum(&self.size, &size)?, casts }.checked()
    }

    /// Two atoms that are multiplied, and none of which is fixed.
    pub fn varying_pair(&self, is_fixed: &impl Fn(A) -> bool) -> Option<[A; 2]> {
        let casts = self.casts.iter().flat_map(|cast| &cast.value.terms);
        self.value.terms.iter().chain(casts).find_map(|term| {
            let mut varying = term.atoms.iter().copied().filter(|atom| !is_fixed(*atom));
            Some([varying.next()?, varying.next()?])
        })
    }

    /// Puts an atom in the place of the product of two. Its size stays that of the product.
    pub fn with_product(&self, pair: [A; 2], product: A) -> Option<Self> {
        let sum = |of: &Polynomial<A>| {
            let mut sum = Polynomial::default();
            for Term { atoms, factor } in &of.terms {
                let mut left = atoms.clone();
                let found = pair.map(|atom| left.iter().position(|a| *a == atom).map(|at| left.remove(at)));
                let mut atoms = if found.iter().all(Option::is_some) {
                    left.push(product);
                    left
                } else {
                    atoms.clone()
                };
                atoms.sort_unstable();
                sum.insert(&atoms, *factor)?;
            }
            Some(sum)
        };
        let cast = |cast: &Cast<A>| Some(Cast { value: sum(&cast.value)?, from: cast.from, to: cast.to });
        let casts = self.casts.iter().map(cast).collect::<Option<Vec<_>>>()?;
        Some(Self { value: sum(&self.value)?, size: self.size.clone(), casts })
    }

    /// The factor of an atom, a form, and what is left. `None`: the form contains a power of the
    /// atom.
    pub fn split(&self, atom: A) -> Option<(Self, Self)> {
        let (mut factor, mut rest) = (Self::default(), Self { casts: self.casts.clone(), ..Self::default() });
        for Term { atoms, factor: number } in &self.value.terms {
            let others: Vec<A> = atoms.iter().filter(|a| **a != atom).copied().collect();
            let power = atoms.len() - others.len();
            let part = Self::exact(Polynomial::term(others, *number));
            match power {
                0 => rest = rest.add(&part)?,
                1 => factor = factor.add(&part)?,
                _ => return None,
            }
        }
        Some((factor, rest))
    }

    /// The value where each atom has a number.
    pub fn number(&self, of: &impl Fn(A) -> Option<i64>) -> Option<i64> {
        self.value.number(of)
    }

    /// Whether it is above 0 wherever all atoms are at least 1.
    pub fn is_positive(&self) -> bool {
        // In terms of atoms that are at least 0, nothing may be negative.
        let mut atoms: Vec<A> = self.value.atoms().copied().collect();
        atoms.sort_unstable();
        atoms.dedup();
        let shifted = atoms
            .iter()
            .try_fold(self.clone(), |form, &atom| form.with(atom, &Self::atom(atom).add(&Self::constant(1))?));
        shifted.is_some_and(|form| form.value.constant() > 0 && form.value.terms.iter().all(|term| term.factor > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_polynomials() {
        let (i, n, one) = (Form::atom(0), Form::atom(1), Form::constant(1));
        // (i + 1) * n - n - i * n
        let product = i.add(&one).and_then(|sum| sum.mul(&n));
        let rest = product.and_then(|p| p.sub(&n)).and_then(|p| p.sub(&i.mul(&n)?));
        assert_eq!(rest.as_ref().and_then(Form::literal), Some(0));
        // Its partial results were not 0.
        assert_eq!(rest.map(|r| r.size.terms.len()), Some(2));
        let (factor, left) = i.mul(&n).and_then(|p| p.sub(&one)).and_then(|p| p.split(0)).unwrap();
        assert_eq!((factor.value, left.literal()), (n.value, Some(-1)));
    }

    #[test]
    fn signs_hold_for_all_sizes() {
        let (a, b) = (Form::atom(0), Form::atom(1));
        let difference = |x: Option<Form>, y: Option<Form>| x.unwrap().sub(&y.unwrap()).unwrap();
        assert!(difference(a.mul(&b), a.mul(&b).and_then(|p| p.sub(&Form::constant(1)))).is_positive());
        assert!(difference(a.add(&b), Some(Form::constant(1))).is_positive());
        assert!(!difference(Some(a.clone()), Some(Form::constant(1))).is_positive());
        assert!(!difference(Some(a), Some(b)).is_positive());
    }
}
