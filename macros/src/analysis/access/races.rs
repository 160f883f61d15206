//! Whether iterations of a `par` loop can touch the same element.
//!
//! **Rule.** Take all accesses of a buffer that the loop writes. Where the ranges of two of them never meet, they are no
//! matter to each other. The others form clusters, and in a cluster with a write
//!
//! 1. every index is a form, linear in the loop variables (the user answers for what is in `unsafe`);
//! 2. all accesses have the same factor of each loop variable, and no factor is 0;
//! 3. the index reads like a number in a mixed radix. Its digits are the loop variables, the variables of inner loops, and
//!    the symbolic distances between the accesses. Sorted by their factors, the factor of a loop variable, and of every
//!    digit behind one, exceeds what all smaller digits and the literal distances can sum up to.
//!
//! Then two iterations that differ in a variable differ in the index. What 3 asks of host values (is the row at least as
//! wide as its loop?) the launch decides with the numbers, for which it gets the accesses in [`Facts::races`]; a distance
//! of accesses must be shown here. Comparisons here take all host values to be at least 1: wherever there are any, the
//! launch decides once more, and its decision is the one that counts.

use std::collections::BTreeSet;

use super::conflict::{Conflict, Why};
use super::ends::{at_sample, ends, is_fixed};
use super::{Access, Atom, Bounded, Comparison, Facts, Form};
use crate::ir::{CaptureId, ParLoop, SiteId};
use crate::report::{Code, Report};

/// Beyond that, even literal factors are left to the launch, which knows how far the variables go.
const SMALL: i64 = 1 << 15;
/// What the launch can hold: `anabranch::private::facts::MOST_RACING`.
const MOST_RACING: usize = 64;

/// Reports iterations that may meet, once a buffer, and lists what the launch has to decide.
pub(crate) fn check(looped: &ParLoop, facts: &mut Facts, report: &mut Report) {
    facts.trusted = trusted(looped, facts);
    let mut views: Vec<CaptureId> = facts.accesses.iter().filter(|a| a.write && !a.trusted).map(|a| a.view).collect();
    views.sort_unstable();
    views.dedup();
    for view in views {
        let of_view = |a: &Access| a.view == view && !a.trusted;
        let mut group: Vec<usize> = (0..facts.accesses.len()).filter(|&at| of_view(&facts.accesses[at])).collect();
        match (Buffer { looped, facts }).judge(&group) {
            Ok(Verdict::Apart) => {}
            Ok(Verdict::Launch) => {
                // The same access twice decides nothing more.
                let mut seen: Vec<usize> = Vec::new();
                group.retain(|&at| {
                    let new = !seen.iter().any(|&other| same(&facts.accesses[at], &facts.accesses[other]));
                    if new {
                        seen.push(at);
                    }
                    new
                });
                if group.len() > MOST_RACING {
                    let access = &facts.accesses[group[0]];
                    let name = &looped.body[view].name;
                    report.at(access.span, Code::TooManyAccesses, format!("`{name}` is accessed in {} different ways in a loop that writes it, and {MOST_RACING} are the most that can be compared; split the loop", group.len()));
                }
                facts.races.push(group);
            }
            Err(conflict) => conflict.report(looped, facts, &group, report),
        }
    }
}

/// The sites in `unsafe` blocks that need them: those of buffers whose accesses are not shown to be apart without.
fn trusted(looped: &ParLoop, facts: &Facts) -> BTreeSet<SiteId> {
    let needed = |trusted: &Access| {
        let group: Vec<usize> =
            (0..facts.accesses.len()).filter(|&at| facts.accesses[at].view == trusted.view).collect();
        group.iter().any(|&at| facts.accesses[at].write) && Buffer { looped, facts }.judge(&group).is_err()
    };
    facts.accesses.iter().filter(|access| access.trusted && needed(access)).filter_map(|access| access.site).collect()
}

fn same(a: &Access, b: &Access) -> bool {
    let conditions = |access: &Access| access.conditions.len();
    a.index == b.index
        && a.end == b.end
        && a.write == b.write
        && a.loops.iter().map(|l| l.atom).eq(b.loops.iter().map(|l| l.atom))
        && conditions(a) == 0
        && conditions(b) == 0
}

enum Verdict {
    /// Nothing meets, whatever the numbers are.
    Apart,
    /// That depends on numbers.
    Launch,
}

/// A digit of an index: it adds `factor * t` for `t` from 0 to `most`.
struct Digit {
    factor: Form,
    most: Form,
    /// Whether `most`, if it is a literal, is what the machine has.
    sure: bool,
    kind: Kind,
}

impl Digit {
    fn is_literal(&self) -> bool {
        self.sure && self.factor.literal().is_some() && self.most.literal().is_some()
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Loop(usize),
    Inner,
    Distance,
}

struct Buffer<'a> {
    looped: &'a ParLoop,
    facts: &'a Facts,
}

impl Buffer<'_> {
    fn judge(&self, group: &[usize]) -> Result<Verdict, Conflict> {
        let mut verdict = Verdict::Apart;
        let mut left: Vec<usize> = group.to_vec();
        let mut clusters = 0;
        while let Some(seed) = left.pop() {
            let mut cluster = vec![seed];
            let mut next = 0;
            while next < cluster.len() {
                let (meets, apart) = left.iter().partition(|&&at| !self.disjoint(cluster[next], at));
                cluster.extend::<Vec<usize>>(meets);
                left = apart;
                next += 1;
            }
            clusters += 1;
            cluster.sort_unstable();
            if cluster.iter().any(|&at| self.access(at).write) && !self.cluster(&cluster)? {
                verdict = Verdict::Launch;
            }
        }
        // Ranges are compared with what the host values are taken to be.
        Ok(if clusters > 1 { Verdict::Launch } else { verdict })
    }

    fn access(&self, at: usize) -> &Access {
        &self.facts.accesses[at]
    }

    /// Whether the accesses of a cluster are apart whatever the numbers are; `false`: the launch decides.
    fn cluster(&self, cluster: &[usize]) -> Result<bool, Conflict> {
        let writes = cluster.iter().copied().find(|&at| self.access(at).write).unwrap_or(cluster[0]);
        let conflict = |second, why| Conflict { first: writes, second, why };
        let mut literal = true;
        // Without what conditions pin down: constants, and factors of the loop variables.
        let mut parts: Vec<(usize, Vec<Form>, Form, Vec<Digit>)> = Vec::new();
        for &at in cluster {
            let parted = self.parted(at).ok_or_else(|| conflict(at, Why::Opaque))?;
            literal &= self.access(at).index.as_ref().is_some_and(|form| form.casts.is_empty());
            parts.push((at, parted.factors, parted.rest, parted.inner));
        }
        let mut digits: Vec<Digit> = Vec::new();
        for var in 0..self.looped.dims.len() {
            let (range, dim) = (&self.facts.ranges[var], &self.looped.dims[var]);
            let extent = range.extent();
            let steps = extent.as_ref().and_then(Form::literal);
            // With a large step, a few iterations reach as far as the machine counts.
            literal &= dim.step.is_none() && (range.is_sure() || steps.is_none());
            // One iteration meets nobody.
            if steps.is_some_and(|steps| steps <= 0) {
                continue;
            }
            if self.pinned(cluster, var) {
                literal = false;
                continue;
            }
            let factor = &parts[0].1[var];
            if let Some((other, ..)) = parts.iter().find(|(_, factors, ..)| factors[var].terms != factor.terms) {
                return Err(conflict(if *other == writes { parts[0].0 } else { *other }, Why::Factors));
            }
            if factor.terms.is_empty() {
                return Err(conflict(writes, Why::Missing(var)));
            }
            let factor = magnitude(factor);
            let most = extent.unwrap_or_else(|| unknown(var));
            literal &= factor.literal().is_some_and(|factor| factor < SMALL);
            digits.push(Digit { factor, most, sure: true, kind: Kind::Loop(var) });
        }
        // What inner loops add below the factors of all loop variables only makes each access wider.
        let least = digits.iter().map(|digit| at_sample(&digit.factor)).min().unwrap_or(i64::MAX);
        let mut ends = Vec::new();
        for (_, _, rest, inner) in &mut parts {
            let mut end = Some(rest.clone());
            for digit in inner.extract_if(.., |digit| at_sample(&digit.factor) < least) {
                literal &= digit.is_literal();
                end = end.and_then(|end| end.add(&digit.factor.mul(&digit.most)?));
            }
            ends.push(end.ok_or_else(|| conflict(writes, Why::Distance))?);
        }
        for (.., inner) in &mut parts {
            for digit in std::mem::take(inner) {
                literal &= digit.is_literal();
                let known = digits.iter_mut().find(|d| d.kind == Kind::Inner && d.factor.terms == digit.factor.terms);
                match known {
                    Some(known) if at_sample(&known.most) >= at_sample(&digit.most) => {}
                    Some(known) => known.most = digit.most,
                    None => digits.push(digit),
                }
            }
        }
        let rests = parts.iter().map(|(_, _, rest, _)| rest);
        let width = match spread(rests.clone(), &ends) {
            Some(width) => width,
            None => {
                let distances = distances(rests, &ends).ok_or_else(|| conflict(writes, Why::Distance))?;
                literal = false;
                digits.extend(distances.digits);
                distances.width
            }
        };
        literal &= width.literal().is_some();
        self.radix(digits, width, &parts.iter().map(|(at, ..)| *at).collect::<Vec<_>>(), writes, &mut literal)?;
        Ok(literal)
    }

    /// Rule 3.
    fn radix(
        &self,
        mut digits: Vec<Digit>,
        mut width: Form,
        cluster: &[usize],
        writes: usize,
        literal: &mut bool,
    ) -> Result<(), Conflict> {
        let other = cluster.iter().copied().find(|&at| at != writes).unwrap_or(writes);
        let apart = width.literal() != Some(0);
        let conflict = |why| Conflict { first: writes, second: if apart { other } else { writes }, why };
        // Inner loops first where factors are equal.
        digits.sort_by_key(|digit| (at_sample(&digit.factor), matches!(digit.kind, Kind::Loop(_))));
        let mut seen: Vec<usize> = Vec::new();
        for digit in digits {
            if let Kind::Loop(var) = digit.kind {
                let equal = seen.last().filter(|&&last| self.factor_of(writes, last) == self.factor_of(writes, var));
                if let Some(&last) = equal {
                    return Err(conflict(Why::SameFactor(last, var)));
                }
                seen.push(var);
            }
            if !seen.is_empty() {
                let Some(room) = digit.factor.sub(&width) else { return Err(conflict(Why::Distance)) };
                match room.literal() {
                    Some(room) if room > 0 => {}
                    Some(_) => return Err(Conflict { first: writes, second: other, why: Why::Distance }),
                    None if room.is_positive() => *literal = false,
                    // A distance that only numbers could show to be harmless, or a factor that never is large enough.
                    None if digit.kind == Kind::Distance || never_positive(&room) => {
                        return Err(Conflict { first: writes, second: other, why: Why::Distance });
                    }
                    None => *literal = false,
                }
            }
            let sum = digit.factor.mul(&digit.most).and_then(|most| width.add(&most));
            width = sum.ok_or_else(|| conflict(Why::Distance))?;
        }
        Ok(())
    }

    fn factor_of(&self, at: usize, var: usize) -> Option<Form> {
        let (factor, _) = self.access(at).index.as_ref()?.split(Atom::Var(var))?;
        Some(magnitude(&factor))
    }

    /// The index of an access by its digits. `None`: it is opaque.
    fn parted(&self, at: usize) -> Option<Parted> {
        let access = self.access(at);
        let mut rest = access.index.clone()?;
        let mut factors = Vec::new();
        for var in 0..self.looped.dims.len() {
            let (factor, left) = rest.split(Atom::Var(var))?;
            if !is_fixed(&factor) {
                return None;
            }
            factors.push(factor);
            rest = left;
        }
        let mut inner = Vec::new();
        for looped in access.loops.iter().rev() {
            let (factor, left) = rest.split(Atom::Other(looped.atom))?;
            rest = left;
            if factor.terms.is_empty() {
                continue;
            }
            // It counts from its first value on, which may depend on what is around.
            let first = looped.values.first.clone()?;
            if !is_fixed(&factor) || !is_fixed(&first) {
                return None;
            }
            rest = rest.add(&factor.mul(&first)?)?;
            let most = match looped.values.extent() {
                Some(most) if is_fixed(&most) => most,
                _ => unknown(self.looped.dims.len() + looped.atom),
            };
            // A negative factor counts down: the same elements.
            if at_sample(&factor) < 0 {
                rest = rest.add(&factor.mul(&most)?)?;
            }
            inner.push(Digit { factor: magnitude(&factor), most, sure: looped.values.is_sure(), kind: Kind::Inner });
        }
        // What an operation bounds is a digit, too: `x[8 * i + v % 8]`.
        for (&atom, Bounded { values, .. }) in &self.facts.bounded {
            let (factor, left) = rest.split(Atom::Other(atom))?;
            if factor.terms.is_empty() {
                continue;
            }
            if !is_fixed(&factor) {
                return None;
            }
            let most = values.extent()?;
            // A negative factor counts down: the same elements.
            rest = if at_sample(&factor) < 0 { left.add(&factor.mul(&most)?)? } else { left };
            inner.push(Digit { factor: magnitude(&factor), most, sure: values.is_sure(), kind: Kind::Inner });
        }
        if let Some(end) = &access.end {
            let most = end.as_ref()?.sub(access.index.as_ref()?)?.sub(&Form::constant(1))?;
            if !is_fixed(&most) {
                return None;
            }
            let sure = end.as_ref()?.casts.is_empty();
            inner.push(Digit { factor: Form::constant(1), most, sure, kind: Kind::Inner });
        }
        rest.casts.clear();
        is_fixed(&rest).then_some(Parted { factors, rest, inner })
    }

    /// Whether conditions leave a variable one value, the same for all accesses.
    fn pinned(&self, cluster: &[usize], var: usize) -> bool {
        let value = |at: usize| {
            self.access(at).conditions.iter().filter(|c| c.comparison == Comparison::Equal).find_map(|c| {
                let (factor, rest) = c.lhs.sub(&c.rhs)?.split(Atom::Var(var))?;
                (factor.literal()?.saturating_abs() == 1 && is_fixed(&rest)).then(|| rest.mul(&factor))?
            })
        };
        let first = value(cluster[0]);
        first.is_some()
            && cluster.iter().all(|&at| value(at).map(|v| v.terms) == first.as_ref().map(|v| v.terms.clone()))
    }

    /// Whether two accesses never touch the same element.
    fn disjoint(&self, a: usize, b: usize) -> bool {
        let below = |low: usize, high: usize| {
            let (ends, begins) = (
                ends(self.facts, self.access(low), &|_| true, true),
                ends(self.facts, self.access(high), &|_| true, false),
            );
            ends.iter().any(|end| begins.iter().any(|begin| begin.sub(end).is_some_and(|d| d.is_positive())))
        };
        below(a, b) || below(b, a)
    }
}

struct Parted {
    /// By loop variables.
    factors: Vec<Form>,
    rest: Form,
    inner: Vec<Digit>,
}

struct Distances {
    width: Form,
    digits: Vec<Digit>,
}

/// From the first begin of some accesses to their last end, if numbers are all that is between them.
fn spread<'f>(begins: impl Iterator<Item = &'f Form> + Clone, ends: &[Form]) -> Option<Form> {
    let first = begins.clone().min_by_key(|form| at_sample(form))?;
    let last = ends.iter().max_by_key(|form| at_sample(form))?;
    // Where accesses lie symbols apart, that is a digit, with room between.
    let near = begins.clone().all(|begin| begin.sub(first).is_some_and(|distance| distance.literal().is_some()));
    if near { last.sub(first) } else { None }
}

/// How far the constant parts of some accesses lie apart, and how wide they are.
fn distances<'f>(rests: impl Iterator<Item = &'f Form> + Clone, ends: &[Form]) -> Option<Distances> {
    let first = rests.clone().next()?;
    let again = rests.clone();
    let mut literals = vec![0];
    let mut multiples: std::collections::BTreeMap<Vec<Atom>, Vec<i64>> = std::collections::BTreeMap::new();
    let count = rests.clone().count();
    for rest in rests {
        for (atoms, factor) in rest.sub(first)?.terms {
            match atoms.as_slice() {
                [] => literals.push(factor),
                _ => multiples.entry(atoms).or_default().push(factor),
            }
        }
    }
    let span = |numbers: &[i64]| numbers.iter().max()?.checked_sub(*numbers.iter().min()?);
    let mut digits = Vec::new();
    for (atoms, mut factors) in multiples {
        // Those that it does not stand in.
        if factors.len() < count {
            factors.push(0);
        }
        let step = factors.iter().fold(0, |divisor, factor| gcd(divisor, factor.saturating_abs()));
        let product = atoms.iter().try_fold(Form::constant(step), |p, atom| p.mul(&Form::atom(*atom)))?;
        let most = Form::constant(span(&factors)? / step);
        digits.push(Digit { factor: product, most, sure: true, kind: Kind::Distance });
    }
    let widths = again.zip(ends).map(|(begin, end)| end.sub(begin)).collect::<Option<Vec<_>>>()?;
    let widest = widths.iter().max_by_key(|form| at_sample(form))?;
    Some(Distances { width: widest.add(&Form::constant(span(&literals)?))?, digits })
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Whether it is at most 0 wherever all atoms are at least 1.
fn never_positive(form: &Form) -> bool {
    Form::constant(1).sub(form).is_some_and(|rest| rest.is_positive())
}

/// With the sign that it has where host values are large.
fn magnitude(form: &Form) -> Form {
    let form = Form { casts: Vec::new(), ..form.clone() };
    if at_sample(&form) < 0 { form.neg().unwrap_or(form) } else { form }
}

/// Something that only the launch knows.
fn unknown(at: usize) -> Form {
    Form::atom(Atom::Symbol(1_000 + at))
}
