//! One walk over the facts of a loop, with the numbers of a launch.

use crate::facts::{Access, Condition, Facts, Form, Phase, Polynomial, Step, Term, Value};
use crate::limits::{MAX_ATOMS, MOST_DIMS};
use crate::ops::{Comparison, Operation};

use super::aliases::{Alias, Aliases, MOST_ALIASES, bit};
use super::interval::{Interval, floor, product};
use super::linear::Linear;
use super::narrow::Open;
use super::numbers::{Axis, Numbers, Refusal, Verdict};
use super::operations::Relations;
use super::races::{Touch, Touches};
use super::scope::{Atoms, Congruence, How, Inner, MOST_MADE, Made, Said, Scope, Tied};
use super::splits::{Digits, Vars};

/// How many facts are tried together.
const FACTS_NEEDED: u32 = 2;
/// What loops that count in 32 bits may reach.
const MOST_NARROW: i128 = (1 << 31) - 2;
/// Lengths that a `u32` holds.
const SHORT: Interval = Interval::new(0, (1 << 32) - 1);

/// How a loop runs whose numbers are not known: with its checks, and not at all where iterations
/// may race.
///
/// # Errors
/// It writes, so that iterations may race.
pub fn without_numbers(facts: &Facts) -> Result<Verdict, Refusal> {
    let racing = |facts: &Facts| facts.races.iter().flat_map(|group| group.iter()).next().copied();
    let phase = facts.phases.iter().enumerate().find_map(|(phase, of)| Some((phase, racing(&of.facts)?)));
    match (racing(facts), phase) {
        (Some(access), _) => Err(Refusal::Overlap { first: access, second: access }),
        (None, Some((phase, access))) => Err(Refusal::OverlapInPhase { phase, first: access, second: access }),
        (None, None) => Ok(Verdict::Checked),
    }
}

/// The most values of a variable of a phase of which nothing is known: it counts what is there.
pub(super) const MOST_TRIPS: u64 = 1 << 40;

/// The most values that a variable of a phase has. The end of its range may have come from another
/// type, which a cast to its own type says: then it is known modulo 2^width, and what looks like an
/// empty range need not be one.
fn trips_of(trips: &Form, number: &impl Fn(usize) -> Option<i64>) -> Option<u64> {
    // What has cancelled must be integers, too.
    if trips.size.atoms().any(|atom| number(*atom).is_none()) {
        return None;
    }
    let count = u64::try_from(trips.number(number)?);
    match trips.casts.as_slice() {
        [] => Some(count.unwrap_or(0)),
        [cast] if cast.from == cast.to => count.ok(),
        _ => None,
    }
}

/// The variables of a phase, and how many they are: each counts from 0.
pub(super) fn phase_axes(phase: &Phase, numbers: &Numbers<'_>) -> ([Axis; 3], usize) {
    let number = |atom: usize| {
        let at = atom.checked_sub(numbers.axes.len() + phase.trips.len())?;
        i64::try_from((*numbers.symbols.get(at)?)?).ok()
    };
    let mut axes = [Axis { lo: 0, step: 1, trips: 1 }; 3];
    for (axis, trips) in axes.iter_mut().zip(&phase.trips) {
        axis.trips = trips.as_ref().and_then(|trips| trips_of(trips, &number)).unwrap_or(MOST_TRIPS);
    }
    (axes, phase.trips.len())
}

/// Whether the iterations of each phase are apart, in all blocks of a loop with these numbers.
///
/// # Errors
/// Two iterations of one may race for an element.
pub fn decide_phases(facts: &Facts, numbers: &Numbers<'_>) -> Result<(), Refusal> {
    if numbers.axes.iter().any(|axis| axis.trips == 0) {
        return Ok(());
    }
    for (phase, of) in facts.phases.iter().enumerate() {
        let (axes, dims) = phase_axes(of, numbers);
        let axes = axes.get(..dims).unwrap_or_default();
        match decide(&of.facts, &Numbers { blocks: numbers.axes, axes, ..*numbers }) {
            Ok(_) => {}
            // Nothing asks for bounds.
            Err(Refusal::OutOfBounds { access, .. }) => {
                return Err(Refusal::OverlapInPhase { phase, first: access, second: access });
            }
            Err(Refusal::Overlap { first, second } | Refusal::OverlapInPhase { first, second, .. }) => {
                return Err(Refusal::OverlapInPhase { phase, first, second });
            }
        }
    }
    Ok(())
}

/// Decides how a loop runs.
///
/// # Errors
/// It must not: an element is out of bounds for sure, or two iterations may race for one.
pub fn decide(facts: &Facts, numbers: &Numbers<'_>) -> Result<Verdict, Refusal> {
    if numbers.axes.iter().any(|axis| axis.trips == 0) {
        return Ok(Verdict::Proved { narrow: true });
    }
    let plain = match facts.atoms {
        ..=16 => with_atoms::<16>(facts, numbers, Vars::of(numbers)),
        17..=MAX_ATOMS => with_atoms::<MAX_ATOMS>(facts, numbers, Vars::of(numbers)),
        _ => without_numbers(facts),
    };
    match plain {
        Ok(Verdict::Checked) | Err(Refusal::Overlap { .. }) => match by_digits(facts, numbers, plain) {
            open @ Err(Refusal::Overlap { .. }) => by_intervals(facts, numbers, open),
            known => known,
        },
        known => known,
    }
}

/// Decides once more with results as intervals alone: `i % 4` is `i - 4` from 4 to 7, which has
/// another factor than `k % 4`.
#[cold]
fn by_intervals(facts: &Facts, numbers: &Numbers<'_>, open: Result<Verdict, Refusal>) -> Result<Verdict, Refusal> {
    let mut vars = Vars::of(numbers);
    vars.aliases = false;
    match with_atoms::<MAX_ATOMS>(facts, numbers, vars) {
        Ok(verdict) => Ok(verdict),
        Err(_) => open,
    }
}

/// Decides once more with variables [taken apart](super::splits), where something is left open
/// without. Either decision holds for itself.
#[cold]
fn by_digits(facts: &Facts, numbers: &Numbers<'_>, plain: Result<Verdict, Refusal>) -> Result<Verdict, Refusal> {
    let Some(digits) = Digits::of(facts, numbers) else { return plain };
    match (plain, with_atoms::<MAX_ATOMS>(facts, numbers, digits.vars())) {
        (Ok(_), Err(Refusal::Overlap { .. })) => plain,
        (_, better) => better,
    }
}

/// The most accesses that can be found, by components.
fn room(facts: &Facts) -> usize {
    let components = |&access: &usize| facts.accesses.get(access).map_or(1, |access| 1 + access.more.len());
    facts.races.iter().flatten().map(components).sum()
}

fn with_atoms<const N: usize>(facts: &Facts, numbers: &Numbers<'_>, vars: Vars<'_>) -> Result<Verdict, Refusal> {
    match room(facts) {
        0 => walk::<N>(facts, numbers, vars, &mut []),
        1..=4 => with_touches::<N, 4>(facts, numbers, vars),
        5..=64 => with_touches::<N, 64>(facts, numbers, vars),
        count => walk::<N>(facts, numbers, vars, &mut vec![None; count]),
    }
}

/// Not a part of its callers: stack that is not needed would cost them time.
#[inline(never)]
fn with_touches<const N: usize, const M: usize>(
    facts: &Facts,
    numbers: &Numbers<'_>,
    vars: Vars<'_>,
) -> Result<Verdict, Refusal> {
    walk::<N>(facts, numbers, vars, &mut [const { None }; M])
}

fn walk<'a, const N: usize>(
    facts: &'a Facts,
    numbers: &'a Numbers<'a>,
    vars: Vars<'a>,
    found: &'a mut [Option<Touch>],
) -> Result<Verdict, Refusal> {
    let mut values = [Interval::UNKNOWN; N];
    let mut narrow = true;
    let (blocks, values_of_axes) = values.split_at_mut_checked(numbers.blocks.len()).unwrap_or_default();
    for (at, axis) in blocks.iter_mut().zip(numbers.blocks) {
        *at = axis.values().unwrap_or(Interval::UNKNOWN);
    }
    let (axes, symbols) = values_of_axes.split_at_mut_checked(numbers.axes.len()).unwrap_or_default();
    for (at, axis) in axes.iter_mut().zip(numbers.axes) {
        *at = axis.values().unwrap_or(Interval::UNKNOWN);
        narrow &= fits_32_bits(*at);
    }
    let (first, mut no_numbers) = (numbers.blocks.len() + numbers.axes.len(), 0);
    for (nth, (at, symbol)) in symbols.iter_mut().zip(numbers.symbols).enumerate() {
        *at = symbol.map_or(Interval::UNKNOWN, Interval::point);
        no_numbers |= if symbol.is_none() { bit(first + nth) } else { 0 };
    }
    // What is left to the device is compared with lengths of 32 bits.
    let mut left = facts.accesses.iter().filter(|access| !access.decided);
    let is_short = |len: &usize| values.get(*len).is_some_and(|len| SHORT.contains(*len));
    narrow &= left.all(|access| access.components().map(|(len, _)| len).chain(&access.strides).all(is_short));
    let mut sums;
    // A body of nothing but accesses has no sums.
    let plain = facts.steps.iter().all(|step| matches!(step, Step::Access(_)));
    let sums: &mut [Option<Alias>] = if vars.aliases && (!plain || vars.is_split()) {
        sums = [const { None }; MOST_ALIASES];
        &mut sums
    } else {
        &mut []
    };
    let (aliases, made, said) = (Aliases::new(sums), [None; MOST_MADE], Said::default());
    let atoms = Atoms { values: &mut values, aliases, vars, made, said, no_numbers, numbers };
    let touches = Touches { facts, found };
    let high = vars.end.max(facts.atoms);
    let mut walk = Walk { facts, atoms, high, touches, boxes: 0, joined: 0, made: 0, proved: true, narrow };
    match vars.is_split() {
        false => walk.steps(&facts.steps, None, true)?,
        true => walk.split(0, None)?,
    }
    walk.touches.decide(vars.axes(), &walk.atoms.made)?;
    Ok(if walk.proved { Verdict::Proved { narrow: walk.narrow } } else { Verdict::Checked })
}

impl Axis {
    /// From the first to the last.
    pub(super) fn values(&self) -> Option<Interval> {
        let way = product(i128::from(self.trips.checked_sub(1)?), self.step)?;
        (self.step >= 1).then_some(Interval::new(self.lo, self.lo.checked_add(way)?))
    }
}

/// A walk over the steps of a body.
struct Walk<'a, const N: usize> {
    facts: &'a Facts,
    atoms: Atoms<'a, N>,
    /// Behind the last atom in use.
    high: usize,
    touches: Touches<'a>,
    /// The atoms of inner loops that take all their values in every iteration, the ends of their
    /// intervals included.
    boxes: u64,
    /// The atoms that values have been joined to.
    joined: u64,
    /// The results of operations behind the current condition. What mentions one of them later
    /// stands behind the same condition: the macro forgets the forms of variables that a branch
    /// assigns (`Extractor::meet`), and hands on what the right side of `&&` has made only with its
    /// left side (`Holds::and`).
    made: u64,
    /// No access that is to be decided may be out of bounds so far.
    proved: bool,
    /// 32 bits are enough so far.
    narrow: bool,
}

impl<const N: usize> Walk<'_, N> {
    /// The walk with the variables taken apart, from the one with a number on.
    fn split(&mut self, from: usize, scope: Option<&Scope<'_>>) -> Result<(), Refusal> {
        let vars = self.atoms.vars;
        let Some(axis) = self.atoms.numbers.axes.get(from) else {
            return self.steps(&self.facts.steps, scope, true);
        };
        let Some(sum) = vars.sum_of(from) else { return self.split(from + 1, scope) };
        for (atom, axis) in vars.atoms().iter().zip(vars.axes()).filter(|(atom, _)| sum.factor(**atom) != 0) {
            self.bind(*atom, axis.values());
        }
        if !self.atoms.aliases.put(self.atoms.numbers.blocks.len() + from, sum) {
            return Err(Refusal::Overlap { first: 0, second: 0 });
        }
        let ends = axis.values();
        let facts = [
            ends.and_then(|ends| sum.plus_constant(ends.lo.checked_neg()?)),
            ends.and_then(|ends| Linear::constant(ends.hi).minus(&sum)),
        ];
        self.split(from + 1, Some(&Scope { outer: scope, facts, inner: None }))
    }

    /// `certain`: every iteration comes here, and the loops around it are those in `boxes`.
    fn steps(&mut self, steps: &[Step], scope: Option<&Scope<'_>>, certain: bool) -> Result<(), Refusal> {
        for (at, step) in steps.iter().enumerate() {
            match step {
                Step::Let { atom, value } => {
                    let facts = self.define(*atom, value, scope);
                    if let (Some(facts), Some(rest)) = (facts, steps.get(at + 1..)) {
                        return self.steps(rest, Some(&Scope { outer: scope, facts, inner: None }), certain);
                    }
                }
                Step::Declare { atom } => self.bind(*atom, Some(Interval::EMPTY)),
                Step::Join { atom, value, ty } => {
                    let way = self.atoms.machine(value, *ty, scope);
                    let sofar = self.atoms.values.get(*atom).copied().unwrap_or(Interval::UNKNOWN);
                    self.bind(*atom, way.map(|way| sofar.hull(way)));
                    self.joined |= bit(*atom);
                }
                Step::For { .. } => self.inner_loop(step, scope, certain)?,
                Step::When { conditions, body } => self.branch(conditions, body, scope)?,
                Step::Access(number) => self.access(*number, scope, certain)?,
                // Of a function that has not taken the place of its call, nothing is known.
                Step::Call(call) => {
                    self.bind(call.result, None);
                    self.proved &= !call.decides;
                }
            }
        }
        Ok(())
    }

    /// An atom is the result of an operation. What else is known of it then.
    ///
    /// Not a part of its caller, whose frames are many.
    #[inline(never)]
    fn define(&mut self, atom: usize, value: &Value, scope: Option<&Scope<'_>>) -> Option<Relations> {
        let result = self.atoms.result(value, scope);
        if value.narrow {
            let exact = |operand| self.atoms.exact(operand, value.ty, scope).is_some();
            // In 32 bits a difference stops at 0, which only one of an unsigned type does.
            let stops = value.operation != Operation::SaturatingSub
                || (self.atoms.numbers.types)(value.ty).is_some_and(|ty| !ty.signed);
            self.narrow &= stops
                && value.operands.iter().all(|operand| self.is_narrow(&operand.size))
                && value.operands.iter().all(exact);
        }
        let sum = self.atoms.sum_of(value, scope);
        self.bind(atom, result);
        self.made |= bit(atom);
        if sum.is_some_and(|sum| self.alias(atom, sum, scope)) {
            return None;
        }
        let ring = if self.atoms.vars.is_split() { self.ring(atom, value, scope) } else { None };
        let facts = ring.unwrap_or_else(|| {
            self.remember(atom, value, scope);
            self.atoms.relations(atom, value, scope)
        });
        facts.iter().any(Option::is_some).then_some(facts)
    }

    /// What happens where conditions hold.
    fn branch(&mut self, conditions: &[Condition], body: &[Step], scope: Option<&Scope<'_>>) -> Result<(), Refusal> {
        // Not as a tuple, of which debug builds keep a second copy on the stack: frames are many
        // where conditions are nested deep.
        let before: [Interval; N] = *self.atoms.values;
        let said = self.atoms.said;
        let mark = self.atoms.aliases.mark();
        let made_before = std::mem::take(&mut self.made);
        if let Some(open) = self.atoms.assume(conditions, scope) {
            self.congruences(conditions);
            self.compared(Comparison::Equal, conditions, scope, Self::tie);
            self.compared(Comparison::NotEqual, conditions, scope, Self::hole);
            self.when(conditions, 0, open, body, scope)?;
        }
        self.leave(&before);
        self.atoms.aliases.back_to_keeping(mark, self.made);
        self.made |= made_before;
        self.atoms.said = said;
        Ok(())
    }

    fn bind(&mut self, atom: usize, values: Option<Interval>) {
        self.atoms.aliases.clear(atom);
        for made in self.atoms.made.iter_mut().flatten().filter(|made| made.atom == atom) {
            made.atom = usize::MAX;
        }
        if let Some(at) = self.atoms.values.get_mut(atom) {
            *at = values.unwrap_or(Interval::UNKNOWN);
        }
    }

    /// An atom that is [bound](Self::bind) stands for a sum. `false`: there is no room for it, and
    /// its interval says all.
    fn alias(&mut self, atom: usize, sum: Linear, scope: Option<&Scope<'_>>) -> bool {
        self.joined &= !bit(atom);
        if let (Some(values), Some(at)) = (self.atoms.bounds(&sum, scope), self.atoms.values.get_mut(atom)) {
            *at = at.meet(values);
        }
        self.atoms.aliases.put(atom, sum)
    }

    /// A remainder `a % d` of values that pass one multiple of `d`, as in a ring buffer, stands for
    /// `a - d * w`, where `w` has two values. What says where the remainder lies comes with it.
    ///
    /// `w` is `a / d`, rounded down. It is like what was loaded: one of its values in each
    /// iteration. So iterations that `a` tells apart are told apart by the remainder, if `d` is
    /// more than what `a` has below it.
    fn ring(&mut self, atom: usize, value: &Value, scope: Option<&Scope<'_>>) -> Option<Relations> {
        let (a, by) = self.atoms.dividend(value, scope)?;
        let values = self.atoms.bounds(&a, scope)?;
        let wraps = Interval::new(floor(values.lo, by)?, floor(values.hi, by)?);
        let wrap = Some(self.high).filter(|high| *high < N && wraps.lo.checked_add(1) == Some(wraps.hi))?;
        let rest = a.plus(by.checked_neg()?, &Linear::atom(wrap))?;
        let facts = [Some(rest), Linear::constant(i128::from(by) - 1).minus(&rest)];
        self.high += 1;
        self.bind(wrap, Some(wraps));
        self.made |= bit(wrap);
        self.alias(atom, rest, scope).then_some(facts)
    }

    /// Keeps how the variables of the loop make a result.
    fn remember(&mut self, atom: usize, value: &Value, scope: Option<&Scope<'_>>) {
        let Some(how) = self.atoms.how(value, scope) else { return };
        if let How::Curve(curve) = &how {
            let values = curve.values(&self.atoms);
            if let (Some(values), Some(at)) = (values, self.atoms.values.get_mut(atom)) {
                *at = at.meet(values);
            }
        }
        if let Some(place) = self.atoms.made.iter_mut().find(|place| place.is_none()) {
            *place = Some(Made { atom, how });
        }
    }

    /// Takes in what conditions that hold say of the variables of the loop.
    fn compared(
        &mut self,
        wanted: Comparison,
        conditions: &[Condition],
        scope: Option<&Scope<'_>>,
        take_in: impl Fn(&mut Self, &Linear) -> Option<()>,
    ) {
        for condition in conditions.iter().filter(|condition| condition.comparison == wanted) {
            let zero = self.atoms.difference(condition, scope);
            zero.and_then(|zero| take_in(self, &zero));
        }
    }

    /// A sum of two variables is 0: one of them stands for the other, from now on.
    fn tie(&mut self, sum: &Linear) -> Option<()> {
        let &[(a, of_a), (b, of_b)] = sum.terms() else { return None };
        let (other, of_other, atom, factor) = if a < b { (a, of_a, b, of_b) } else { (b, of_b, a, of_a) };
        let vars = self.atoms.vars;
        let (variable, other_variable) = (vars.place(atom)?, vars.place(other)?);
        if self.atoms.said.tied.is_some() || factor.checked_abs() != Some(1) {
            return None;
        }
        // `factor` is its own inverse.
        let times = of_other.checked_mul(factor)?.checked_neg()?;
        let constant = product(sum.constant, i128::from(factor).checked_neg()?)?;
        let value = Linear::constant(constant).plus(times, &Linear::atom(other))?;
        if self.atoms.aliases.put(atom, value) {
            self.atoms.said.tied = Some(Tied { variable, other: other_variable, factor: times, constant });
        }
        Some(())
    }

    /// A variable does not have a value.
    fn hole(&mut self, sum: &Linear) -> Option<()> {
        let &[(atom, factor)] = sum.terms() else { return None };
        let (variable, value) = (self.atoms.vars.place(atom)?, sum.constant.checked_neg()?);
        if value.checked_rem(factor.into())? == 0 {
            let place = self.atoms.said.holes.iter_mut().find(|place| place.is_none())?;
            *place = Some((variable, value.checked_div(factor.into())?));
        }
        Some(())
    }

    /// Takes in which remainders have one value where conditions on them hold: `r == 1`, or
    /// `r != 0` modulo 2.
    ///
    /// Others are left alone. They may have been made behind a condition that does not hold here.
    fn congruences(&mut self, conditions: &[Condition]) {
        if self.atoms.made.first().is_none_or(Option::is_none) {
            return;
        }
        for atom in conditions.iter().flat_map(|Condition { lhs, rhs, .. }| lhs.value.atoms().chain(rhs.value.atoms()))
        {
            let (Some(How::Remainder(of)), Some(value)) =
                (self.atoms.made_of(*atom), self.atoms.value(*atom).and_then(Interval::value))
            else {
                continue;
            };
            let Ok(rest) = i64::try_from((i128::from(of.rest) - value).rem_euclid(of.modulus.into())) else { continue };
            let known = Some(Congruence { rest, ..*of });
            let congruences = &mut self.atoms.said.congruences;
            if !congruences.contains(&known)
                && let Some(place) = congruences.iter_mut().find(|place| place.is_none())
            {
                *place = known;
            }
        }
    }

    /// Forgets what was known under a condition, but not what was joined or made there.
    fn leave(&mut self, before: &[Interval; N]) {
        for (atom, (now, before)) in self.atoms.values.iter_mut().zip(before).enumerate().take(self.high) {
            if self.joined & bit(atom) != 0 {
                *now = before.hull(*now);
            } else if self.made & bit(atom) == 0 {
                *now = *before;
            }
        }
    }

    /// What happens where the conditions hold, from the one with a number on.
    fn when(
        &mut self,
        conditions: &[Condition],
        from: usize,
        open: Open,
        body: &[Step],
        scope: Option<&Scope<'_>>,
    ) -> Result<(), Refusal> {
        let Some((at, condition)) = conditions.iter().enumerate().skip(from).find(|(at, _)| open.has(*at)) else {
            return self.steps(body, scope, false);
        };
        let facts = self.atoms.relations_of(condition, scope);
        self.when(conditions, at + 1, open, body, Some(&Scope { outer: scope, facts, inner: None }))
    }

    fn inner_loop(&mut self, step: &Step, scope: Option<&Scope<'_>>, certain: bool) -> Result<(), Refusal> {
        let Step::For { atom, start, end, inclusive, step, ty, narrow, wraps, body } = step else { return Ok(()) };
        let stride = match step {
            None => Some(1),
            Some(step) => {
                // The step of a range is no sum that has wrapped.
                let steps =
                    if *wraps { self.atoms.machine(step, *ty, scope) } else { self.atoms.interval(step, scope) };
                steps.and_then(Interval::value).filter(|s| (1..1 << 62).contains(s))
            }
        };
        let ends = self.atoms.machine(start, *ty, scope).zip(self.atoms.machine(end, *ty, scope));
        let behind = i128::from(!inclusive);
        let values = ends.and_then(|(first, past)| {
            let (lo, hi) = (first.lo, past.hi.checked_sub(behind)?);
            // The last one that is met, if they start at one place.
            let over = hi.checked_sub(lo)?.checked_rem(stride.filter(|_| first.value().is_some()).unwrap_or(1))?;
            Some(Interval::new(lo, if lo < hi { hi - over } else { hi }))
        });
        if *narrow {
            // The variable goes one step beyond the last value.
            let beyond = |(first, past): (Interval, Interval)| {
                Some(first.hull(Interval::point(past.hi.checked_add(stride? - behind)?)).hull(past))
            };
            self.narrow &= ends.and_then(beyond).is_some_and(fits_32_bits);
        }
        if values.is_some_and(Interval::is_empty) {
            return Ok(());
        }
        let (boxes, mark) = (self.boxes, self.atoms.aliases.mark());
        if *wraps && !ends.zip(stride).is_some_and(|((_, past), stride)| self.stays(past, stride - behind, *ty)) {
            self.boxes &= !bit(*atom);
            self.bind(*atom, (self.atoms.numbers.types)(*ty).and_then(|ty| ty.range()));
            let result = self.steps(body, scope, false);
            self.boxes = boxes;
            self.atoms.aliases.back_to(mark);
            return result;
        }
        let fixed = |(first, past): (Interval, Interval)| first.value().is_some() && past.value().is_some();
        let fixed_ends = ends.is_some_and(fixed);
        let certain = certain && stride.is_some() && fixed_ends;
        self.boxes = if certain { boxes | bit(*atom) } else { boxes & !bit(*atom) };
        self.bind(*atom, values);
        // Otherwise its interval says all.
        let result = if fixed_ends && stride == Some(1) {
            self.steps(body, scope, certain)
        } else {
            let (first, past) = (self.atoms.exact(start, *ty, scope), self.atoms.exact(end, *ty, scope));
            // It runs at all.
            let runs = first.zip(past).and_then(|(first, past)| past.minus(&first)?.plus_constant(-behind));
            let narrowed = runs.filter(|runs| runs.terms().len() == 1);
            let before = narrowed.and_then(|runs| {
                let &(atom, _) = runs.terms().first()?;
                Some((atom, *self.atoms.values.get(atom)?))
            });
            let runs = narrowed.is_none_or(|runs| self.atoms.narrow(&runs));
            let variable = Linear::atom(*atom);
            let not_below = first.and_then(|first| variable.minus(&first));
            let not_above = past.and_then(|past| past.minus(&variable)?.plus_constant(-behind));
            let facts = [not_below, not_above].map(|fact| fact.filter(|fact| fact.terms().len() > 1));
            let strided = |(start, stride)| Some(Inner { atom: *atom, start, stride: i64::try_from(stride).ok()? });
            let inner = first.zip(stride).and_then(strided);
            let inside = Scope { outer: scope, facts, inner: inner.as_ref() };
            let result = if runs { self.steps(body, Some(&inside), certain) } else { Ok(()) };
            if let Some((atom, values)) = before
                && let Some(at) = self.atoms.values.get_mut(atom)
            {
                *at = values;
            }
            result
        };
        self.boxes = boxes;
        self.atoms.aliases.back_to(mark);
        result
    }

    /// Whether a variable does not wrap that goes `more` beyond the end.
    fn stays(&self, past: Interval, more: i128, ty: usize) -> bool {
        let most = (self.atoms.numbers.types)(ty).and_then(|ty| ty.range()).map(|range| range.hi);
        past.hi.checked_add(more).zip(most).is_some_and(|(beyond, most)| beyond <= most)
    }

    fn access(&mut self, number: usize, scope: Option<&Scope<'_>>, certain: bool) -> Result<(), Refusal> {
        let Some(access) = self.facts.accesses.get(number) else {
            self.proved = false;
            return Ok(());
        };
        let racing = self.touches.names(number);
        let plain = access.decided && self.plainly_in_bounds(access, scope);
        if plain {
            self.narrow &= self.fits_narrow(access);
        }
        if !racing && (plain || !access.decided) {
            return Ok(());
        }
        let mut indexes = [None; MOST_DIMS];
        for ((_, form), index) in access.components().zip(&mut indexes) {
            *index = form.and_then(|form| self.atoms.linear(form, scope));
        }
        let Some(indexes) = indexes.get(..=access.more.len()) else {
            self.proved = false;
            return if racing { Err(Refusal::Overlap { first: number, second: number }) } else { Ok(()) };
        };
        let end = access.end.as_ref().map(|end| self.atoms.linear(end.as_ref()?, scope));
        let end = end.as_ref();
        if racing {
            let touch = |dim: usize| self.atoms.touch(access, indexes, dim, end, scope);
            self.touches.add(number, indexes.len(), touch)?;
        }
        if plain || !access.decided {
            return Ok(());
        }
        let component = || access.components().map(|(len, _)| *len).zip(indexes).enumerate();
        if component().all(|(_, (len, index))| self.in_bounds(len, index.as_ref(), end, scope).unwrap_or(false)) {
            self.narrow &= self.fits_narrow(access);
            return Ok(());
        }
        self.proved = false;
        if !(certain && access.always) {
            return Ok(());
        }
        let outside = |(dim, (len, index)): (usize, (usize, &Option<Linear>))| {
            let len = self.atoms.value(len)?.value()?;
            let index = self.surely_outside(index.as_ref(), end, len)?;
            let dim = (!access.more.is_empty()).then_some(dim);
            Some(Refusal::OutOfBounds { access: number, index, len, dim })
        };
        component().find_map(outside).map_or(Ok(()), Err)
    }

    /// Whether the intervals of atoms alone show that an element is in bounds.
    fn plainly_in_bounds(&self, access: &Access, scope: Option<&Scope<'_>>) -> bool {
        let ends =
            |(len, index): (&usize, Option<&Form>)| Some((self.atoms.rough(index?, scope)?, self.atoms.value(*len)?));
        let below = |(index, len): (Interval, Interval)| index.lo >= 0 && index.hi < len.lo;
        access.end.is_none() && access.components().all(|component| ends(component).is_some_and(below))
    }

    fn in_bounds(
        &self,
        len: usize,
        index: Option<&Linear>,
        end: Option<&Option<Linear>>,
        scope: Option<&Scope<'_>>,
    ) -> Option<bool> {
        let (index, len) = (index?, self.atoms.atom(len)?);
        let before = |a: &Linear, b: &Linear, gap: i128| {
            let way = b.minus(a)?.plus_constant(-gap)?;
            Some(self.atoms.not_negative(&way, scope, FACTS_NEEDED))
        };
        let Some(end) = end else {
            let by_facts = || Some(self.atoms.not_negative(index, scope, FACTS_NEEDED) && before(index, &len, 1)?);
            let by_rows = || {
                let values = self.atoms.rows(index, None, scope)?.values(&self.atoms)?;
                Some(values.lo >= 0 && values.hi < self.atoms.box_of(&len)?.lo)
            };
            return Some(by_facts().unwrap_or(false) || by_rows().unwrap_or(false));
        };
        let end = end.as_ref()?;
        Some(self.atoms.not_negative(index, scope, FACTS_NEEDED) && before(index, end, 0)? && before(end, &len, 0)?)
    }

    /// An index, or an end of a range, that is out of bounds for the machine as well, in an
    /// iteration that there is.
    fn surely_outside(&self, index: Option<&Linear>, end: Option<&Option<Linear>>, len: i128) -> Option<i128> {
        // Of digits, some combinations may be those of no iteration.
        let met = |atom: usize| atom < self.atoms.numbers.axes.len() || self.boxes & bit(atom) != 0;
        let extremes = |sum: &Linear| {
            let bounds = self.atoms.box_of(sum).filter(|_| sum.terms().iter().all(|(atom, _)| met(*atom)))?;
            Some([bounds.hi, bounds.lo])
        };
        let beyond = |sum: Option<&Linear>, limit: i128| {
            extremes(sum?)?.into_iter().find(|value| value.rem_euclid(1 << 64) >= limit)
        };
        match end {
            None => beyond(index, len),
            // A range may be empty at the end of the buffer.
            Some(end) => beyond(end.as_ref(), len + 1).or_else(|| beyond(index, len + 1)),
        }
    }

    fn fits_narrow(&self, access: &Access) -> bool {
        let stride = |stride: &usize| u64::try_from(self.atoms.value(*stride)?.hi.max(1)).ok();
        let strides = access.strides.iter().map(stride).chain(std::iter::repeat(Some(1)));
        let place = access.components().zip(strides).try_fold(0u64, |place, ((_, index), stride)| {
            place.checked_add(self.size(&index?.size)?.checked_mul(stride?)?)
        });
        place.is_some_and(|place| place < 1 << 31)
    }

    /// Whether a bound of all partial results fits 32 bits.
    fn is_narrow(&self, size: &Polynomial) -> bool {
        self.size(size).is_some_and(|size| size < 1 << 31)
    }

    fn size(&self, size: &Polynomial) -> Option<u64> {
        let magnitude = |atom: usize| {
            let value = self.atoms.value(atom)?;
            u64::try_from(value.lo.unsigned_abs().max(value.hi.unsigned_abs()).max(1)).ok()
        };
        let product = |term: &Term| {
            let factor = term.factor.unsigned_abs();
            term.atoms.iter().try_fold(factor, |product, &atom| product.checked_mul(magnitude(atom)?))
        };
        size.terms.iter().try_fold(0u64, |sum, term| sum.checked_add(product(term)?))
    }
}

/// Whether these are values of an `i32`, and no ends of its range.
fn fits_32_bits(values: Interval) -> bool {
    Interval::new(-MOST_NARROW, MOST_NARROW).contains(values)
}
