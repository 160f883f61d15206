//! Whether two iterations touch one element: the accesses of a buffer, in pairs.
//!
//! What an access touches is told as `base + Σ factor * variable + Σ digit`. The variables are
//! those of the loop, of which two iterations differ in one at least. A digit is all else that
//! varies: inner loops, ranges of elements, what was loaded. It may have any of its values in any
//! iteration. Two accesses keep iterations apart if
//!
//! - they touch different parts of the buffer,
//! - or different diagonals of a plane, as `x[i * n + j]` and `x[j * n + i]` do where `j < i`
//!   ([`Plane`]),
//! - or nothing but one iteration makes them,
//! - or their elements are different modulo some number ([`gcd_test`], [`residues`]),
//! - or the variables can be read off the element like digits of a number: by the strides of all
//!   that varies ([`readable`]), or by what is known of the sum of all that is below a variable
//!   ([`Rest`]),
//! - or by the sums that conditions bound ([`strides`](super::strides)),
//! - or nothing but equal variables solves the equations between them
//!   ([`equations`](super::equations)).
//!
//! Of a grid, each component of an index is told like this. Two accesses touch one element only
//! where all their components are equal. So one component that differs is enough, and a variable
//! that is read off one is the same in both iterations for the others ([`apart`]).
//!
//! The machine counts modulo 2^64. So no access may reach so far that two different elements could
//! be one there.

use crate::facts::{Access, Facts};

use crate::limits::MOST_DIMS;

use super::equations::{Pair, Terms};
use super::interval::{Interval, ceiling, floor, product};
use super::linear::Linear;
use super::made::Rows;
use super::numbers::{AXES, Axis, Refusal};
use super::scope::{AllMade, Atoms, Inner, Said, Scope, Tied, inner_loops};
use super::strides::Below;

/// The most digits of an access.
const DIGITS: usize = 6;
/// Where elements are different modulo 2^64 if they are different at all.
const REACH: Interval = Interval { lo: 1 - (1 << 62), hi: (1 << 62) - 1 };

/// An access that happens; of a grid, a component of its index.
#[derive(Clone, Copy)]
pub(super) struct Touch {
    group: usize,
    access: usize,
    write: bool,
    /// The number of components, which lie side by side, at the first of them; else 0.
    components: usize,
    /// The values of the loop variables there.
    variables: Option<[Interval; AXES]>,
    /// All elements. `None`: it may be any, which includes those out of [`REACH`].
    pub(super) whole: Option<Interval>,
    /// The same by its terms.
    pub(super) terms: Option<Terms>,
    pub(super) rows: Option<Rows>,
    /// How far the components before it are greater.
    beside: [Option<Interval>; MOST_DIMS - 1],
    /// The elements, told in two ways: an inner loop whose start depends on other variables has its
    /// values, or its start and the distance from it.
    ways: [Option<Lattice>; 2],
    /// By variables.
    pub(super) rests: [Option<Rest>; AXES],
    /// By strides, where conditions bound sums.
    below: Option<Below>,
    plane: Option<Plane>,
    /// What conditions around it say of the variables.
    pub(super) said: Said,
}

/// A variable of the loop in an index, and the values of what is left of the index without it and
/// without all variables of greater strides. Conditions may bound that closer than its parts:
/// `if left + x < width { c[y * width + left + x] … }`.
#[derive(Clone, Copy)]
pub(super) struct Rest {
    stride: i128,
    pub(super) values: Interval,
}

/// An element by its row and column, `base + row_stride * row + column_stride * column`, and on
/// which diagonals it lies.
#[derive(Clone, Copy)]
struct Plane {
    base: i128,
    row_stride: i64,
    column_stride: i64,
    columns: Interval,
    /// `row - column`.
    diagonals: Interval,
}

/// `base + Σ factor * variable + Σ digit`.
#[derive(Clone, Copy)]
struct Lattice {
    base: i128,
    factors: [i64; AXES],
    digits: [Digit; DIGITS],
    count: usize,
}

/// `stride * d` for all `0 <= d < trips`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Digit {
    stride: i64,
    /// The digit of a variable of the loop. In order, these come after others of the same stride.
    owns: bool,
    trips: i64,
}

impl<const N: usize> Atoms<'_, N> {
    /// What an access touches, by one of the components of its index; `None`: nothing.
    pub(super) fn touch(
        &self,
        access: &Access,
        indexes: &[Option<Linear>],
        dim: usize,
        end: Option<&Option<Linear>>,
        scope: Option<&Scope<'_>>,
    ) -> Option<Touch> {
        let mut variables = Some([Interval::point(0); AXES]);
        for (at, &atom) in self.vars.atoms().iter().enumerate() {
            variables = variables.zip(self.value(atom)).map(|(mut values, value)| {
                values[at] = value;
                values
            });
        }
        let mut touch = Touch {
            group: 0,
            access: 0,
            write: access.write,
            components: if dim == 0 { indexes.len() } else { 0 },
            variables,
            whole: None,
            terms: None,
            rows: None,
            beside: [None; MOST_DIMS - 1],
            ways: [None; 2],
            rests: [None; AXES],
            below: None,
            plane: None,
            said: self.said,
        };
        let (Some(Some(index)), Some(_)) = (indexes.get(dim), variables) else { return Some(touch) };
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
        touch.whole = Some(hull);
        for (before, beside) in indexes.iter().take(dim).zip(&mut touch.beside) {
            // A wrapped component is not the number that is compared here.
            let before = before.as_ref().filter(|before| near(before).is_some());
            *beside = before.and_then(|before| self.bounds(&before.minus(index)?, scope));
        }
        touch.ways = [self.elements(index, trips, false, scope), None];
        if inner_loops(scope).any(|inner| !inner.start.terms().is_empty()) {
            touch.ways[1] = self.elements(index, trips, true, scope);
        }
        touch.rests = self.rests(index, end, scope);
        touch.terms = self.terms(index, end.is_some());
        touch.rows = self.rows(index, end, scope);
        touch.below = scope.filter(|_| end.is_none() && index.terms().len() > 1).and_then(|_| self.below(index, scope));
        touch.plane = (end.is_none() && indexes.len() == 1).then(|| self.plane(index, scope)).flatten();
        Some(touch)
    }

    fn plane(&self, index: &Linear, scope: Option<&Scope<'_>>) -> Option<Plane> {
        let &[one, other] = index.terms() else { return None };
        let larger = one.1.unsigned_abs() > other.1.unsigned_abs();
        let ((row, row_stride), (column, column_stride)) = if larger { (one, other) } else { (other, one) };
        let columns = self.value(column)?;
        let diagonals = self.bounds(&Linear::atom(row).minus(&Linear::atom(column))?, scope)?;
        Some(Plane { base: index.constant, row_stride, column_stride, columns, diagonals })
    }

    fn rests(&self, index: &Linear, end: Option<&Option<Linear>>, scope: Option<&Scope<'_>>) -> [Option<Rest>; AXES] {
        let (axes, atoms) = (self.vars.axes(), self.vars.atoms());
        let factor = |sum: &Linear, variable: usize| atoms.get(variable).map_or(0, |atom| sum.factor(*atom));
        let stride = |variable: usize| {
            let step = axes.get(variable).map_or(0, |axis| axis.step);
            product(i128::from(factor(index, variable)), step).and_then(i128::checked_abs)
        };
        let without = |sum: &Linear, variable: usize| {
            let mut rest = *sum;
            // Of two with one stride, one is the greater.
            for (greater, atom) in atoms.iter().enumerate() {
                if (stride(greater), greater) >= (stride(variable), variable) {
                    rest = rest.plus(sum.factor(*atom).checked_neg()?, &Linear::atom(*atom))?;
                }
            }
            Some(rest)
        };
        std::array::from_fn(|variable| {
            if variable >= axes.len() {
                return None;
            }
            let mut values = self.bounds(&without(index, variable)?, scope)?;
            if let Some(end) = end {
                let end = end.as_ref().filter(|end| atoms.iter().all(|v| end.factor(*v) == index.factor(*v)))?;
                values.hi = self.bounds(&without(end, variable)?, scope)?.hi.checked_sub(1)?;
            }
            Some(Rest { stride: stride(variable)?, values })
        })
    }

    fn elements(&self, index: &Linear, trips: i128, from_start: bool, scope: Option<&Scope<'_>>) -> Option<Lattice> {
        let mut elements = Lattice { base: 0, factors: [0; AXES], digits: [Digit::default(); DIGITS], count: 0 };
        elements.add(1, 0, trips - 1)?;
        let mut rest = *index;
        for Inner { atom, start, stride } in inner_loops(scope) {
            let factor = rest.factor(*atom);
            if factor == 0 || !from_start && !start.terms().is_empty() {
                continue;
            }
            // `atom = start + stride * d`
            // An end that is a `min` is two facts away.
            let way = self.bounds_by(&Linear::atom(*atom).minus(start)?, scope, 2)?;
            let (first, last) = (ceiling(way.lo, *stride)?, floor(way.hi, *stride)?);
            elements.add(factor.checked_mul(*stride)?, first, last)?;
            rest = rest.plus(factor.checked_neg()?, &Linear::atom(*atom))?.plus(factor, start)?;
        }
        for &(atom, factor) in rest.terms() {
            match self.vars.place(atom).and_then(|at| elements.factors.get_mut(at)) {
                Some(of_variable) => *of_variable = factor,
                None => {
                    let value = self.value(atom)?;
                    elements.add(factor, value.lo, value.hi)?;
                }
            }
        }
        elements.shift(rest.constant)?;
        Some(elements)
    }
}

impl Plane {
    /// Whether two accesses lie on different diagonals of one plane. There an element has one row
    /// and one column: for another column to make up for another row, the rows would have to be
    /// shorter.
    fn is_across(&self, other: &Self) -> bool {
        let strides = |plane: &Self| (plane.base, plane.row_stride, plane.column_stride);
        let columns = self.columns.hull(other.columns);
        let row = columns.hi.checked_sub(columns.lo).and_then(|most| product(most, self.column_stride.into()));
        strides(self) == strides(other)
            && row.is_some_and(|row| i128::from(self.row_stride).unsigned_abs() > row.unsigned_abs())
            && self.diagonals.meet(other.diagonals).is_empty()
    }
}

impl Lattice {
    fn shift(&mut self, by: i128) -> Option<()> {
        self.base = self.base.checked_add(by)?;
        Some(())
    }

    /// Adds `factor * d` for all `first <= d <= last`.
    fn add(&mut self, factor: i64, first: i128, last: i128) -> Option<()> {
        self.shift(product(i128::from(factor), if factor < 0 { last } else { first })?)?;
        let more = i64::try_from(last.checked_sub(first)?).ok()?;
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
            if let Some(value) = variable.value().filter(|_| *factor != of_other) {
                let more = i128::from(*factor) - i128::from(of_other);
                self.base = product(more, value)?.checked_add(self.base)?;
                *factor = of_other;
            }
        }
        Some(())
    }

    /// From the first element to the last.
    fn hull(&self, variables: &[Interval; AXES]) -> Option<Interval> {
        let mut hull = Interval::point(self.base);
        for (factor, values) in self.factors.iter().zip(variables) {
            hull = hull.plus(i128::from(*factor), *values)?;
        }
        for digit in self.digits() {
            hull = hull.plus(i128::from(digit.stride), Interval::new(0, i128::from(digit.trips) - 1))?;
        }
        Some(hull)
    }

    /// The first element where the variables have these values.
    fn at(&self, values: &[i128; AXES]) -> Option<i128> {
        let mut all = self.factors.iter().zip(values);
        all.try_fold(self.base, |sum, (factor, value)| sum.checked_add(product(i128::from(*factor), *value)?))
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

    /// An access happens, with so many components.
    pub(super) fn add(
        &mut self,
        access: usize,
        components: usize,
        touch: impl Fn(usize) -> Option<Touch>,
    ) -> Result<(), Refusal> {
        for (group, members) in self.facts.races.iter().enumerate() {
            if members.contains(&access) {
                for dim in 0..components {
                    let Some(touch) = touch(dim) else { continue };
                    let place = self.found.iter_mut().find(|place| place.is_none());
                    let place = place.ok_or(Refusal::Overlap { first: access, second: access })?;
                    *place = Some(Touch { group, access, ..touch });
                }
            }
        }
        Ok(())
    }

    /// Whether two iterations may race.
    pub(super) fn decide(&self, axes: &[Axis], made: &AllMade) -> Result<(), Refusal> {
        if axes.iter().all(|axis| axis.trips <= 1) {
            return Ok(());
        }
        let found =
            || self.found.iter().map_while(Option::as_ref).enumerate().filter(|(_, touch)| touch.components > 0);
        for (at, a) in found() {
            let same_group = |&(other, b): &(usize, &Touch)| other >= at && a.group == b.group && (a.write || b.write);
            for (other, b) in found().filter(same_group) {
                let components = || Some((self.components(at)?, self.components(other)?));
                let apart =
                    |(a, b)| apart(a, b, axes, made).filter(|apart| *apart).or_else(|| apart_around(a, b, axes, made));
                if !components().and_then(apart).unwrap_or(false) {
                    let (first, second) = if a.write { (a, b) } else { (b, a) };
                    return Err(Refusal::Overlap { first: first.access, second: second.access });
                }
            }
        }
        Ok(())
    }

    /// The components of an access.
    fn components(&self, at: usize) -> Option<&[Option<Touch>]> {
        let first = self.found.get(at)?.as_ref()?;
        self.found.get(at..at.checked_add(first.components)?)
    }
}

/// The loop variables where one of two accesses is made.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub(super) firsts: [i128; AXES],
    pub(super) steps: [i64; AXES],
    /// How many values they have.
    pub(super) trips: [i64; AXES],
    /// Whether a variable has one value in both iterations, if they touch one element.
    pub(super) equal: [bool; AXES],
    /// In both iterations.
    pub(super) tied: Option<Tied>,
}

impl Window {
    fn of(axes: &[Axis], variables: &[Interval; AXES], others: &[Interval; AXES]) -> Option<Self> {
        let mut window =
            Self { firsts: [0; AXES], steps: [0; AXES], trips: [1; AXES], equal: [true; AXES], tied: None };
        for (at, axis) in axes.iter().enumerate() {
            let values = variables.get(at)?.hull(*others.get(at)?);
            let step = i64::try_from(axis.step).ok()?;
            let trip = ceiling(values.lo.checked_sub(axis.lo)?, step)?;
            let last = floor(values.hi.checked_sub(axis.lo)?, step)?;
            window.steps[at] = step;
            window.firsts[at] = axis.lo.checked_add(product(axis.step, trip)?)?;
            window.trips[at] = i64::try_from(last.checked_sub(trip)?.checked_add(1)?).ok()?;
            window.equal[at] = window.trips[at] <= 1;
        }
        Some(window)
    }

    /// Takes in what equal elements say. Whether nothing is left in which the iterations could
    /// differ.
    fn learn(&mut self, equal: [bool; AXES]) -> bool {
        self.equal.iter_mut().zip(equal).for_each(|(known, equal)| *known |= equal);
        // Not before: sums from outside of the condition may still mention it.
        if let Some(Tied { variable, other, .. }) = self.tied
            && self.equal.get(other) == Some(&true)
            && let Some(known) = self.equal.get_mut(variable)
        {
            *known = true;
        }
        self.equal.iter().all(|equal| *equal)
    }
}

/// Whether two accesses, which may be the same, never touch one element in different iterations:
/// from what their components say.
fn apart(a: &[Option<Touch>], b: &[Option<Touch>], axes: &[Axis], made: &AllMade) -> Option<bool> {
    let (first, other) = (a.first()?.as_ref()?, b.first()?.as_ref()?);
    let (variables, others) = (first.variables?, other.variables?);
    let mut window = Window::of(axes, &variables, &others)?;
    window.tied = first.said.tied.filter(|_| first.said.tied == other.said.tied);
    // A variable that one component tells is known to the others.
    loop {
        if window.learn([false; AXES]) {
            return Some(true);
        }
        let before = window.equal;
        for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
            let on_other_diagonals =
                |(a, b): (&Option<Interval>, Option<Interval>)| a.zip(b).is_some_and(|(a, b)| a.meet(b).is_empty());
            if a.beside.iter().zip(b.beside).any(on_other_diagonals) {
                return Some(true);
            }
            match compare(a, b, &mut window, &variables, &others) {
                Some(Told::Apart) => return Some(true),
                Some(Told::Equal) | None => {}
            }
        }
        if window.equal == before {
            return Some(Pair { a, b, window: &window, made }.is_apart());
        }
    }
}

/// The same where a variable of one access has a hole: it is below in one case, and above in the
/// other (as the Omega test splits what is not equal).
#[cold]
fn apart_around(a: &[Option<Touch>], b: &[Option<Touch>], axes: &[Axis], made: &AllMade) -> Option<bool> {
    for (one, other) in [(a, b), (b, a)] {
        for (variable, hole) in one.first()?.as_ref()?.said.holes.into_iter().flatten() {
            let sides =
                [Interval::new(i128::MIN, hole.checked_sub(1)?), Interval::new(hole.checked_add(1)?, i128::MAX)];
            let is_apart = |side| {
                let mut narrowed = [None; MOST_DIMS];
                for (to, touch) in narrowed.iter_mut().zip(one) {
                    // Where the variable has no value on this side, nothing is touched.
                    let Some(touch) = (*touch)?.within(variable, side) else { return Some(true) };
                    *to = Some(touch);
                }
                apart(narrowed.get(..one.len())?, other, axes, made)
            };
            if sides.into_iter().all(|side| is_apart(side).unwrap_or(false)) {
                return Some(true);
            }
        }
    }
    Some(false)
}

impl Touch {
    /// What is left of it where a variable has these values; `None`: nothing. What it does not know
    /// stays as it is.
    fn within(mut self, variable: usize, side: Interval) -> Option<Self> {
        let Some(variables) = &mut self.variables else { return Some(self) };
        let values = variables.get_mut(variable)?;
        *values = values.meet(side);
        if values.is_empty() {
            return None;
        }
        if let (Some(whole), Some(hull)) = (&mut self.whole, self.ways[0].and_then(|way| way.hull(variables))) {
            *whole = whole.meet(hull);
        }
        Some(self)
    }
}

/// What two components say.
enum Told {
    /// They are never equal.
    Apart,
    /// Some variables are equal, if the components are.
    Equal,
}

/// What follows if two components are equal.
fn compare(
    a: &Touch,
    b: &Touch,
    window: &mut Window,
    variables: &[Interval; AXES],
    others: &[Interval; AXES],
) -> Option<Told> {
    if a.whole?.meet(b.whole?).is_empty() || a.plane.zip(b.plane).is_some_and(|(a, b)| a.is_across(&b)) {
        return Some(Told::Apart);
    }
    let factors = a.ways[0].zip(b.ways[0]).filter(|(a, b)| a.factors == b.factors).map(|(a, _)| a.factors);
    if let Some(factors) = factors {
        let read = |at: usize| {
            let (Some(a), Some(b)) = (a.rests[at], b.rests[at]) else { return false };
            let below = a.values.hull(b.values);
            below.hi.checked_sub(below.lo).is_some_and(|below| a.stride > below)
        };
        let there = std::array::from_fn(|at| factors[at] != 0);
        if (0..AXES).all(|at| !there[at] || window.equal[at] || read(at)) && window.learn(there) {
            return Some(Told::Equal);
        }
    }
    for (i, j) in [(0, 0), (1, 1), (0, 1), (1, 0)] {
        let pair = || {
            let (mut a, mut b) = (a.ways[i]?, b.ways[j]?);
            if a.factors != b.factors {
                let (first, second) = (a, b);
                a.follow(&second, variables)?;
                b.follow(&first, others)?;
            }
            tell_apart(&a, &b, window)
        };
        match pair() {
            Some((Told::Apart, _)) => return Some(Told::Apart),
            Some((Told::Equal, equal)) if window.learn(equal) => return Some(Told::Equal),
            Some(_) | None => {}
        }
    }
    for (i, j) in [(0, 0), (1, 1)] {
        let windows = [variables, others];
        if a.ways[i].zip(b.ways[j]).is_some_and(|(a, b)| residues(&a, &b, window, windows).unwrap_or(false)) {
            return Some(Told::Apart);
        }
    }
    if let Some(equal) = a.below.zip(b.below).and_then(|(a, b)| a.tell(&b, window.equal)) {
        window.learn(equal);
    }
    Some(Told::Equal)
}

/// What follows if two elements are equal, and the variables for which that is so.
fn tell_apart(a: &Lattice, b: &Lattice, window: &Window) -> Option<(Told, [bool; AXES])> {
    let Window { firsts, steps, trips, equal, tied: _ } = window;
    let apart = Some((Told::Apart, [true; AXES]));
    let distance = i64::try_from(a.at(firsts)?.checked_sub(b.at(firsts)?)?.checked_abs()?).ok()?;
    let mut digits = [Digit::default(); AXES + 2 * DIGITS + 1];
    let (mut count, mut same, mut common) = (0, true, 0);
    let mut told = [false; AXES];
    for (at, (of_a, of_b)) in a.factors.iter().zip(&b.factors).enumerate() {
        if equal[at] {
            // It cancels, or its value is known; else nothing is known of the difference.
            if of_a != of_b && trips[at] > 1 {
                return None;
            }
        } else if (*of_a, *of_b) != (0, 0) {
            let stride = |factor: &i64| factor.checked_mul(steps[at])?.checked_abs();
            same &= of_a == of_b;
            *digits.get_mut(count)? = Digit { stride: stride(of_a)?, owns: true, trips: trips[at] };
            common = divisor(common, stride(of_b)?);
            told[at] = true;
            count += 1;
        }
    }
    for digit in a.digits().iter().chain(b.digits()) {
        match digits.iter_mut().take(count).find(|d| !d.owns && d.stride == digit.stride) {
            Some(known) => known.trips = known.trips.max(digit.trips),
            None => {
                *digits.get_mut(count)? = *digit;
                count += 1;
            }
        }
    }
    let place = digits.get(..count)?.iter().fold(common, |common, digit| divisor(common, digit.stride));
    if gcd_test(distance, place) {
        return apart;
    }
    if !same {
        return None;
    }
    let equal = Some((Told::Equal, told));
    // How far the accesses are apart comes first, or is more of a digit (a row further), or is one
    // itself.
    if readable(digits.get_mut(..count)?, distance) {
        return equal;
    }
    let mut longer = digits;
    let rows = longer.iter_mut().take(count).filter(|digit| !digit.owns && distance % digit.stride == 0);
    if let Some(row) = rows.max_by_key(|digit| digit.stride) {
        row.trips = row.trips.checked_add(distance / row.stride)?;
        if readable(longer.get_mut(..count)?, 0) {
            return equal;
        }
    }
    *digits.get_mut(count)? = Digit { stride: distance, owns: false, trips: 2 };
    if readable(digits.get_mut(..=count)?, 0) { equal } else { None }
}

/// Whether two elements are different modulo one of the strides of all that varies: the GCD test,
/// with bounds as in Banerjee's.
///
/// Equal elements make the way from one to the other 0. Modulo a stride `s`, all terms of the way
/// whose factors are multiples of `s` are 0. So what is left of the way is a multiple of `s`. If
/// all its values lie between two multiples that follow each other, there are no equal elements.
/// The factors of the two need not be the same.
fn residues(a: &Lattice, b: &Lattice, window: &Window, variables: [&[Interval; AXES]; 2]) -> Option<bool> {
    let cancels = |at: usize| window.equal[at] && a.factors[at] == b.factors[at];
    // What does not cancel has in each access the values that it has there.
    let own = |variables: &[Interval; AXES]| {
        let mut own = *window;
        for (at, values) in variables.iter().enumerate().filter(|(at, _)| !cancels(*at)) {
            let step = window.steps[at].max(1);
            let first = product(ceiling(values.lo.checked_sub(window.firsts[at])?, step)?, step.into())?;
            own.firsts[at] = window.firsts[at].checked_add(first)?;
            own.trips[at] = i64::try_from(floor(values.hi.checked_sub(own.firsts[at])?, step)?.checked_add(1)?).ok()?;
        }
        Some(own)
    };
    let [own_a, own_b] = variables.map(own);
    let (own_a, own_b) = (own_a?, own_b?);
    let distance = a.at(&own_a.firsts)?.checked_sub(b.at(&own_b.firsts)?)?;
    let mut terms = [(0i64, 0i64); 2 * (AXES + DIGITS)];
    let mut count = 0;
    for (of, own, sign) in [(a, own_a, 1), (b, own_b, -1)] {
        let variables = (0..AXES).map(|at| {
            let factor = if cancels(at) { 0 } else { of.factors[at] };
            Some((factor.checked_mul(own.steps[at])?.checked_mul(sign)?, own.trips[at]))
        });
        let digits = of.digits().iter().map(|digit| Some((digit.stride.checked_mul(sign)?, digit.trips)));
        for term in variables.chain(digits) {
            let (stride, trips) = term?;
            if stride != 0 && trips > 1 {
                *terms.get_mut(count)? = (stride, trips);
                count += 1;
            }
        }
    }
    let terms = terms.get(..count)?;
    let apart = |s: i64| {
        let mut way = Interval::point(distance);
        for (stride, trips) in terms.iter().filter(|(stride, _)| stride.checked_rem(s) != Some(0)) {
            way = way.plus(i128::from(*stride), Interval::new(0, i128::from(trips - 1)))?;
        }
        Some(floor(way.lo, s)? == floor(way.hi, s)? && way.lo.checked_rem_euclid(i128::from(s))? != 0)
    };
    Some(terms.iter().filter_map(|(stride, _)| stride.checked_abs()).any(|s| apart(s).unwrap_or(false)))
}

/// Whether `distance` is no multiple of what divides everything else.
fn gcd_test(distance: i64, common: i64) -> bool {
    distance.checked_rem(common).unwrap_or(distance) != 0
}

/// Whether two elements, of which one is up to `below` further, are different if a digit that owns
/// them is. It is so if all digits from the smallest of these on are worth more than everything
/// below them.
fn readable(digits: &mut [Digit], below: i64) -> bool {
    digits.sort_unstable();
    let mut below = i128::from(below);
    let mut owned = false;
    digits.iter().all(|digit| {
        owned |= digit.owns;
        let readable = !owned || i128::from(digit.stride) > below;
        below = below.saturating_add(i128::from(digit.stride) * i128::from(digit.trips - 1));
        readable
    })
}

/// The greatest common divisor of numbers that are not negative; of 0 and a number, the number.
pub(super) fn divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { divisor(b, a % b) }
}
