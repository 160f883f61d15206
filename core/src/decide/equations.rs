//! Whether two accesses meet, by the equations between their elements: one for each component of an
//! index.
//!
//! The unknowns are how far the two iterations are apart in each variable, in steps. Once a
//! distance is known, it helps with the others:
//!
//! - An equation with one unknown tells it, or has no solution.
//! - An equation whose constant is no multiple of what divides all else has no solution (the GCD
//!   test). A remainder is the sum that it is of, and a multiple of its modulus. Conditions on
//!   remainders are such equations, too ([`Congruence`](super::scope::Congruence)).
//! - What the variables [make](super::made) is the same if they are: it cancels. So is a remainder
//!   if its sum differs by a multiple.
//! - Rows that [follow](super::made::Rows) each other tell their variable.
//! - What lies below a stride is less than a few of it: so there are a few distances, and each is
//!   tried (delinearization).
//!
//! Accesses are apart if all distances are 0, which is one iteration, or if there are none.

use super::interval::{Interval, ceiling, floor, product};
use super::linear::Linear;
use super::numbers::AXES;
use super::races::{Touch, Window, divisor};
use super::scope::{AllMade, Atoms, How, MOST_MADE};

/// The most distances of one variable that are tried, and of all together.
const MOST_TRIED: i128 = 16;
const MOST_CASES: u32 = 128;

/// A component of an index.
#[derive(Clone, Copy)]
pub(super) struct Terms {
    constant: i128,
    factors: [i64; AXES],
    /// Of what variables make, in the order of [`Atoms::made`].
    made: [i64; MOST_MADE],
    /// What divides all else that varies.
    others: i64,
}

impl<const N: usize> Atoms<'_, N> {
    /// An index by its terms; `is_range`: the first of some.
    pub(super) fn terms(&self, index: &Linear, is_range: bool) -> Option<Terms> {
        let mut terms =
            Terms { constant: index.constant, factors: [0; AXES], made: [0; MOST_MADE], others: is_range.into() };
        for &(atom, factor) in index.terms() {
            let made = || self.made.iter().position(|made| made.is_some_and(|made| made.atom == atom));
            match self.vars.place(atom) {
                Some(variable) => *terms.factors.get_mut(variable)? = factor,
                None => match made() {
                    Some(at) => terms.made[at] = factor,
                    None => terms.others = divisor(terms.others, factor.checked_abs()?),
                },
            }
        }
        Some(terms)
    }
}

/// How far the iterations are apart in each variable, in steps, as far as that is known.
type Distances = [Option<i128>; AXES];

/// `constant + Σ factor * distance` is a multiple of `others`; it is 0 if that is 0.
struct Equation {
    constant: i128,
    factors: [i128; AXES],
    others: i128,
}

impl Equation {
    fn add(&mut self, constant: i128) -> Option<()> {
        self.constant = self.constant.checked_add(constant)?;
        Some(())
    }

    fn add_factor(&mut self, variable: usize, factor: i128) -> Option<()> {
        let of = self.factors.get_mut(variable)?;
        *of = of.checked_add(factor)?;
        Some(())
    }

    /// Adds any multiple of a number.
    fn add_any(&mut self, of: i128) -> Option<()> {
        self.others = common(self.others, of.checked_abs()?);
        Some(())
    }

    fn put(&mut self, known: &Distances) -> Option<()> {
        for (factor, distance) in self.factors.iter_mut().zip(known) {
            if let Some(distance) = distance {
                let way = product(std::mem::take(factor), *distance)?;
                self.constant = self.constant.checked_add(way)?;
            }
        }
        Some(())
    }

    fn has_no_solution(&self) -> bool {
        let mut factors = self.factors.iter();
        let divides = factors.try_fold(self.others, |all, factor| Some(common(all, factor.checked_abs()?)));
        divides.is_some_and(|divides| self.constant.checked_rem(divides).unwrap_or(self.constant) != 0)
    }

    /// The only unknown, and its value.
    fn solution(&self) -> Option<(usize, i128)> {
        let mut unknown = self.factors.iter().enumerate().filter(|(_, factor)| **factor != 0);
        let ((variable, factor), None) = (unknown.next()?, unknown.next()) else { return None };
        (self.others == 0).then_some((variable, self.constant.checked_div(*factor)?.checked_neg()?))
    }
}

/// Two accesses, by their components.
pub(super) struct Pair<'a> {
    pub(super) a: &'a [Option<Touch>],
    pub(super) b: &'a [Option<Touch>],
    /// What is known of both iterations.
    pub(super) window: &'a Window,
    pub(super) made: &'a AllMade,
}

impl Pair<'_> {
    /// Whether the accesses never meet in two iterations.
    #[cold]
    pub(super) fn is_apart(&self) -> bool {
        let known = self.window.equal.map(|equal| equal.then_some(0));
        let mut cases = MOST_CASES;
        self.never_meet(known, &mut cases)
    }

    fn never_meet(&self, mut known: Distances, cases: &mut u32) -> bool {
        let Some(left) = cases.checked_sub(1) else { return false };
        *cases = left;
        loop {
            let before = known;
            if self.learn(&mut known).is_none() || known == [Some(0); AXES] {
                return true;
            }
            if known == before {
                break;
            }
        }
        // Those with the fewest cases first.
        let rows = (0..self.a.len()).filter_map(|component| self.row(component, &known));
        let Some((variable, distances)) = rows.min_by_key(|(_, row)| row.hi.saturating_sub(row.lo)) else {
            return false;
        };
        if distances.hi.saturating_sub(distances.lo) >= MOST_TRIED {
            return false;
        }
        (distances.lo..=distances.hi).all(|distance| {
            known[variable] = Some(distance);
            self.never_meet(known, cases)
        })
    }

    /// Takes in what the equations say; `None`: they have no solution.
    fn learn(&self, known: &mut Distances) -> Option<()> {
        for component in 0..self.a.len() {
            if let Some(equation) = self.equation(component, known) {
                if equation.has_no_solution() {
                    return None;
                }
                if let Some((variable, distance)) = equation.solution() {
                    let most = i128::from(self.window.trips[variable]) - 1;
                    if distance.checked_abs().is_none_or(|distance| distance > most) {
                        return None;
                    }
                    known[variable] = Some(distance);
                }
            }
            if let Some(variable) = self.followed(component).filter(|variable| known[*variable].is_none()) {
                known[variable] = Some(0);
            }
        }
        if let Some(tied) = self.window.tied
            && known[tied.other] == Some(0)
            && known[tied.variable].is_none()
        {
            known[tied.variable] = Some(0);
        }
        let contradicts = |equation: Option<Equation>| equation.is_some_and(|equation| equation.has_no_solution());
        (!self.congruences(known).any(contradicts)).then_some(())
    }

    fn component(&self, at: usize) -> Option<(&Touch, &Touch)> {
        let (a, b) = (self.a.get(at)?.as_ref()?, self.b.get(at)?.as_ref()?);
        // What may have wrapped is another number.
        a.whole.and(b.whole).map(|_| (a, b))
    }

    /// That two components are equal.
    fn equation(&self, component: usize, known: &Distances) -> Option<Equation> {
        let (a, b) = self.component(component)?;
        let (a, b) = (a.terms?, b.terms?);
        let Window { firsts, steps, trips, .. } = self.window;
        let constant = a.constant.checked_sub(b.constant)?;
        let mut equation = Equation { constant, factors: [0; AXES], others: divisor(a.others, b.others).into() };
        for (variable, ((of_a, of_b), step)) in a.factors.iter().zip(b.factors).zip(steps).enumerate() {
            let (of_a, step) = (i128::from(*of_a), i128::from(*step));
            equation.add_factor(variable, product(of_a, step)?)?;
            // What does not cancel.
            let more = of_a - i128::from(of_b);
            equation.add(product(more, firsts[variable])?)?;
            if trips[variable] > 1 {
                equation.add_any(product(more, step)?)?;
            }
        }
        for (made, (of_a, of_b)) in self.made.iter().zip(a.made.into_iter().zip(b.made)) {
            let Some(made) = made.as_ref().filter(|_| (of_a, of_b) != (0, 0)) else { continue };
            let of_both = i128::from(of_a);
            if of_a != of_b {
                equation.add_any(of_both)?;
                equation.add_any(of_b.into())?;
                continue;
            }
            match &made.how {
                How::Remainder(sum) => {
                    let factors = || {
                        sum.factors.iter().zip(steps).map(|(factor, step)| product((*factor).into(), (*step).into()))
                    };
                    let way = factors().zip(known).try_fold(0i128, |way, (factor, distance)| match factor? {
                        0 => Some(way),
                        factor => way.checked_add(product(factor, (*distance)?)?),
                    });
                    if way.is_some_and(|way| way % i128::from(sum.modulus) == 0) {
                        continue;
                    }
                    for (variable, factor) in factors().enumerate() {
                        equation.add_factor(variable, product(of_both, factor?)?)?;
                    }
                    equation.add_any(product(of_both, sum.modulus.into())?)?;
                }
                How::Curve(curve) if known[curve.variable] == Some(0) => {}
                How::Curve(_) => equation.add_any(of_both)?,
            }
        }
        equation.put(known)?;
        Some(equation)
    }

    /// That conditions on equal sums hold in both iterations.
    fn congruences(&self, known: &Distances) -> impl Iterator<Item = Option<Equation>> {
        let said = |touches: &[Option<Touch>]| {
            touches.first().copied().flatten().map(|touch| touch.said.congruences).unwrap_or_default()
        };
        let (of_a, of_b) = (said(self.a), said(self.b));
        let pairs = of_a.into_iter().flatten().flat_map(move |a| of_b.into_iter().flatten().map(move |b| (a, b)));
        pairs.filter(|(a, b)| (a.factors, a.modulus) == (b.factors, b.modulus)).map(|(a, b)| {
            let constant = i128::from(a.rest) - i128::from(b.rest);
            let mut equation = Equation { constant, factors: [0; AXES], others: a.modulus.into() };
            for (variable, (factor, step)) in a.factors.iter().zip(self.window.steps).enumerate() {
                equation.add_factor(variable, product((*factor).into(), step.into())?)?;
            }
            equation.put(known)?;
            Some(equation)
        })
    }

    /// The variable that rows tell which follow each other.
    fn followed(&self, component: usize) -> Option<usize> {
        let (a, b) = self.component(component)?;
        let (a, b) = (a.rows?, b.rows?);
        let variable = a.variable();
        let Window { firsts, steps, trips, .. } = self.window;
        a.follow(&b, firsts[variable], steps[variable].into(), trips[variable].into()).then_some(variable)
    }

    /// The greatest stride whose distance is not known, and all the distances that what lies below
    /// it leaves.
    fn row(&self, component: usize, known: &Distances) -> Option<(usize, Interval)> {
        let (a, b) = self.component(component)?;
        let factors = a.terms?.factors;
        // Otherwise the strides of each are in another order.
        if factors != b.terms?.factors {
            return None;
        }
        let stride = |at: usize| i128::from(factors[at]) * i128::from(self.window.steps[at]);
        let mut order: [usize; AXES] = std::array::from_fn(|at| at);
        order.sort_unstable_by_key(|at| std::cmp::Reverse((stride(*at).unsigned_abs(), *at)));
        let mut above = 0i128;
        for variable in order {
            let stride = stride(variable);
            match known[variable] {
                _ if stride == 0 => {}
                Some(distance) => above = above.checked_add(product(stride, distance)?)?,
                None => {
                    let (a, b) = (a.rests[variable]?.values, b.rests[variable]?.values);
                    let below = Interval::point(above).plus(1, a)?.plus(-1, b)?;
                    let size = i64::try_from(stride.checked_abs()?).ok()?;
                    // `stride * distance + below = 0`
                    let (lo, hi) = (ceiling(below.hi.checked_neg()?, size)?, floor(below.lo.checked_neg()?, size)?);
                    let distances = if stride > 0 { Interval::new(lo, hi) } else { Interval::new(-hi, -lo) };
                    let most = i128::from(self.window.trips[variable]) - 1;
                    return Some((variable, distances.meet(Interval::new(-most, most))));
                }
            }
        }
        None
    }
}

/// The greatest common divisor of numbers that are not negative; of 0 and a number, the number.
fn common(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { common(b, a % b) }
}
