//! Whether two iterations touch one element: the accesses of a buffer, in pairs.
//!
//! What an access touches is told as `base + Σ factor * variable + Σ digit`. The variables are those of the loop, of which
//! two iterations differ in one at least. A digit is all else that varies: inner loops, ranges of elements, what was loaded.
//! It may have any of its values in any iteration. Two accesses keep iterations apart if
//!
//! - they touch different parts of the buffer,
//! - or nothing but one iteration makes them,
//! - or their elements are different modulo some number ([`strangers`]),
//! - or the variables can be read off the element like digits of a number ([`readable`]).
//!
//! The machine counts modulo 2^64. So no access may reach so far that two different elements could be one there.

use super::decide::{Axis, Refusal};
use super::interval::{Interval, product};
use super::linear::{Atoms, Linear, Scope};
use super::{Access, Facts};

/// The most variables of a loop.
const AXES: usize = 3;
/// The most digits of an access.
const DIGITS: usize = 8;
/// Where elements are different modulo 2^64 if they are different at all.
const REACH: Interval = Interval { lo: 1 - (1 << 62), hi: (1 << 62) - 1 };

/// An access that happens.
#[derive(Clone, Copy)]
pub(super) struct Touch {
    group: usize,
    access: usize,
    write: bool,
    /// All elements, and the values of the loop variables there. `None`: it may be any, which includes those out of
    /// [`REACH`].
    whole: Option<(Interval, [Interval; AXES])>,
    /// The elements, told in two ways: an inner loop whose start depends on other variables has its values, or its start
    /// and the distance from it.
    ways: [Option<Elements>; 2],
}

/// `base + Σ factor * variable + Σ digit`.
#[derive(Clone, Copy)]
struct Elements {
    base: i128,
    factors: [i64; AXES],
    digits: [Digit; DIGITS],
    count: usize,
}

/// `stride * d` for all `0 <= d < trips`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Digit {
    stride: i128,
    /// The digit of a variable of the loop. In order, these stand behind others of the same stride.
    owns: bool,
    trips: i128,
}

/// How an inner loop begins.
pub(super) struct Inner {
    pub(super) atom: usize,
    pub(super) start: Linear,
    pub(super) stride: i64,
}

impl<const N: usize> Atoms<'_, N> {
    /// What an access touches; `None`: nothing.
    pub(super) fn touch(
        &self,
        access: &Access,
        index: Option<&Linear>,
        end: Option<&Option<Linear>>,
        scope: Option<&Scope<'_>>,
    ) -> Option<Touch> {
        let mut touch = Touch { group: 0, access: 0, write: access.write, whole: None, ways: [None; 2] };
        let Some(index) = index else { return Some(touch) };
        let near = |sum: &Linear| self.bounds(sum, scope).filter(|all| REACH.contains(*all));
        let (Some(mut hull), mut trips) = (near(index), 1) else { return Some(touch) };
        if let Some(end) = end {
            let range = || {
                let end = end.as_ref()?;
                Some((near(end)?.hi - 1, self.bounds(&end.minus(index)?, scope)?.hi))
            };
            let Some((last, most)) = range() else { return Some(touch) };
            if most <= 0 {
                return None;
            }
            (hull.hi, trips) = (last, most);
        }
        let mut variables = [Interval::point(0); AXES];
        for (atom, variable) in variables.iter_mut().enumerate().take(self.numbers.axes.len()) {
            match self.value(atom) {
                Some(value) => *variable = value,
                None => return Some(touch),
            }
        }
        touch.whole = Some((hull, variables));
        touch.ways = [false, true].map(|from_start| self.elements(index, trips, from_start, scope));
        Some(touch)
    }

    fn elements(&self, index: &Linear, trips: i128, from_start: bool, scope: Option<&Scope<'_>>) -> Option<Elements> {
        let axes = self.numbers.axes.len();
        let mut elements = Elements { base: 0, factors: [0; AXES], digits: [Digit::default(); DIGITS], count: 0 };
        elements.add(1, 0, trips - 1)?;
        let mut rest = *index;
        for Inner { atom, start, stride } in std::iter::successors(scope, |s| s.outer).filter_map(|s| s.inner) {
            let factor = rest.factor(*atom);
            let way = Linear::atom(*atom).minus(start)?;
            if factor == 0 || !from_start && !start.terms().is_empty() {
                continue;
            }
            // `atom = start + stride * d`
            let way = self.bounds(&way, scope)?;
            let stride = i128::from(*stride);
            elements.add(
                product(i128::from(factor), stride)?,
                -(way.lo.checked_neg()?.div_euclid(stride)),
                way.hi.div_euclid(stride),
            )?;
            rest = rest.plus(factor.checked_neg()?, &Linear::atom(*atom))?.plus(factor, start)?;
        }
        for &(atom, factor) in rest.terms() {
            match elements.factors.get_mut(atom) {
                Some(of_variable) if atom < axes => *of_variable = factor,
                _ => {
                    let value = self.value(atom)?;
                    elements.add(i128::from(factor), value.lo, value.hi)?;
                }
            }
        }
        elements.base = elements.base.checked_add(rest.constant)?;
        Some(elements)
    }
}

impl Elements {
    /// Adds `factor * d` for all `first <= d <= last`.
    fn add(&mut self, factor: i128, first: i128, last: i128) -> Option<()> {
        self.base = self.base.checked_add(product(factor, if factor < 0 { last } else { first })?)?;
        let more = last.checked_sub(first)?;
        let stride = factor.checked_abs()?;
        if more <= 0 || stride == 0 {
            return Some(());
        }
        let count = self.count;
        match self.digits.iter_mut().take(count).find(|digit| digit.stride == stride) {
            Some(digit) => digit.trips = digit.trips.checked_add(more)?,
            None => {
                *self.digits.get_mut(count)? = Digit { stride, owns: false, trips: more.checked_add(1)? };
                self.count += 1;
            }
        }
        Some(())
    }

    fn digits(&self) -> &[Digit] {
        self.digits.get(..self.count).unwrap_or_default()
    }

    /// Takes the factors of another access for variables that have only one value here.
    fn follow(&mut self, other: &Self, variables: &[Interval; AXES]) -> Option<()> {
        for ((factor, of_other), variable) in self.factors.iter_mut().zip(other.factors).zip(variables) {
            if let Some(value) = variable.value() {
                let own = product(i128::from(*factor), value)?;
                self.base = self.base.checked_add(own)?.checked_sub(product(i128::from(of_other), value)?)?;
                *factor = of_other;
            }
        }
        Some(())
    }

    /// The first element where the variables have these values.
    fn at(&self, values: &[i128; AXES]) -> Option<i128> {
        self.factors
            .iter()
            .zip(values)
            .try_fold(self.base, |sum, (factor, value)| sum.checked_add(product(i128::from(*factor), *value)?))
    }
}

/// The accesses that happen, of those that [`Facts::races`] names.
pub(super) struct Touches<'a> {
    pub(super) facts: &'a Facts,
    pub(super) found: &'a mut [Option<Touch>],
}

impl Touches<'_> {
    pub(super) fn names(&self, access: usize) -> bool {
        self.facts.races.iter().any(|group| group.contains(&access))
    }

    /// An access happens.
    pub(super) fn add(&mut self, access: usize, touch: &Touch) -> Result<(), Refusal> {
        for (group, members) in self.facts.races.iter().enumerate() {
            if members.contains(&access) {
                let place = self.found.iter_mut().find(|place| place.is_none());
                let place = place.ok_or(Refusal::Overlap { first: access, second: access })?;
                *place = Some(Touch { group, access, ..*touch });
            }
        }
        Ok(())
    }

    /// Whether two iterations may race.
    pub(super) fn decide(&self, axes: &[Axis]) -> Result<(), Refusal> {
        let found = || self.found.iter().map_while(Option::as_ref);
        for (at, a) in found().enumerate() {
            for b in found().skip(at).filter(|b| a.group == b.group && (a.write || b.write)) {
                if !apart(a, b, axes).unwrap_or(false) {
                    let (first, second) = if a.write { (a, b) } else { (b, a) };
                    return Err(Refusal::Overlap { first: first.access, second: second.access });
                }
            }
        }
        Ok(())
    }
}

/// Whether two accesses, which may be the same, never touch one element in different iterations.
fn apart(a: &Touch, b: &Touch, axes: &[Axis]) -> Option<bool> {
    let ((part, variables), (other, others)) = (a.whole?, b.whole?);
    if axes.len() > AXES {
        return Some(false);
    }
    if part.meet(other).is_empty() {
        return Some(true);
    }
    // The loop variables where one of the accesses is made.
    let (mut firsts, mut steps, mut trips) = ([0; AXES], [0; AXES], [1; AXES]);
    for (at, axis) in axes.iter().enumerate() {
        let values = variables.get(at)?.hull(*others.get(at)?);
        let first = -((axis.lo.checked_sub(values.lo)?).div_euclid(axis.step));
        let last = values.hi.checked_sub(axis.lo)?.div_euclid(axis.step);
        *firsts.get_mut(at)? = axis.lo.checked_add(axis.step.checked_mul(first)?)?;
        *steps.get_mut(at)? = axis.step;
        *trips.get_mut(at)? = last.checked_sub(first)?.checked_add(1)?;
    }
    if trips.iter().all(|trips| *trips <= 1) {
        return Some(true);
    }
    let told = |i: usize, j: usize| {
        let (mut a, mut b) = ((*a.ways.get(i)?)?, (*b.ways.get(j)?)?);
        a.follow(&b, &variables)?;
        b.follow(&a, &others)?;
        tell_apart(&a, &b, &firsts, &steps, &trips)
    };
    Some([(0, 0), (1, 1), (0, 1), (1, 0)].into_iter().any(|(i, j)| told(i, j).unwrap_or(false)))
}

fn tell_apart(
    a: &Elements,
    b: &Elements,
    firsts: &[i128; AXES],
    steps: &[i128; AXES],
    trips: &[i128; AXES],
) -> Option<bool> {
    let distance = a.at(firsts)?.checked_sub(b.at(firsts)?)?.checked_abs()?;
    let mut digits = [Digit::default(); AXES + 2 * DIGITS + 1];
    let mut count = 0;
    let mut same = true;
    let mut common = 0;
    for (((of_a, of_b), step), trips) in a.factors.iter().zip(&b.factors).zip(steps).zip(trips) {
        if *trips > 1 {
            let stride = |factor: i64| product(i128::from(factor), *step)?.checked_abs();
            same &= of_a == of_b;
            common = divisor(divisor(common, stride(*of_a)?), stride(*of_b)?);
            *digits.get_mut(count)? = Digit { stride: stride(*of_a)?, owns: true, trips: *trips };
            count += 1;
        }
    }
    for digit in a.digits().iter().chain(b.digits()) {
        common = divisor(common, digit.stride);
        match digits.iter_mut().take(count).find(|d| !d.owns && d.stride == digit.stride) {
            Some(known) => known.trips = known.trips.max(digit.trips),
            None => {
                *digits.get_mut(count)? = *digit;
                count += 1;
            }
        }
    }
    if strangers(distance, common) {
        return Some(true);
    }
    // The distance of the accesses comes first, or is a digit itself.
    *digits.get_mut(count)? = Digit { stride: distance, owns: false, trips: 2 };
    let (first, with) = (digits.get_mut(..count)?, count + 1);
    Some(same && (readable(first, distance)? || readable(digits.get_mut(..with)?, 0)?))
}

/// Whether `distance` is no multiple of what divides everything else.
fn strangers(distance: i128, common: i128) -> bool {
    distance.checked_rem(common).unwrap_or(distance) != 0
}

/// Whether two elements, of which one is up to `below` further, are different if a digit that owns them is. It is so if
/// all digits from the smallest of these on are worth more than everything below them.
fn readable(digits: &mut [Digit], mut below: i128) -> Option<bool> {
    digits.sort_unstable();
    let smallest = digits.iter().position(|digit| digit.owns).unwrap_or(digits.len());
    for (at, digit) in digits.iter().enumerate() {
        if at >= smallest && digit.stride <= below {
            return Some(false);
        }
        below = below.checked_add(product(digit.stride, digit.trips - 1)?)?;
    }
    Some(true)
}

/// The greatest common divisor; of 0 and a number, the number.
fn divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { divisor(b, a % b) }
}
