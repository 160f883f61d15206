//! Whether iterations of a `par` loop can touch the same element.
//!
//! **Rule.** Take all accesses of a buffer that the loop writes. Where the ranges of two of them never meet, or, if that is
//! not enough, where their indexes differ modulo what divides all that varies in them, or lie on different diagonals of a
//! plane, they are no matter to each other. The others form clusters, and in a cluster with a write
//!
//! 1. every index is a form, linear in the loop variables (the user answers for what is in `unsafe`);
//! 2. all accesses have the same coefficient of each loop variable, and no factor is 0;
//! 3. the index reads like a number in a mixed radix. Its digits are the loop variables in the steps of their ranges, the
//!    variables of inner loops from their first values on, and the symbolic distances between the accesses, unless these all
//!    lie below the loop variables; digits of the same factor, none of them a loop variable, are one. Sorted by their factors,
//!    the factor of a loop variable, and of every digit behind one, exceeds what all smaller digits and the literal distances
//!    can sum up to.
//!
//! Then two iterations that differ in a variable differ in the index. What 3 asks of host values (is the row at least as
//! wide as its loop?) the launch decides with the numbers, for which it gets the accesses in [`Facts::races`]; a distance
//! of accesses must be shown here. Comparisons here take all symbols to be at least 1: wherever there are any, the launch
//! decides once more, and its decision is the one that counts.

use std::collections::BTreeSet;

use anabranch_core::limits::MAX_RACING_ACCESSES;

use super::conflict::{Conflict, Why};
use super::digits::{Digit, Kind, are_near, distances, magnitude, merged, spread, unknown};
use super::ends::{at_sample, is_fixed};
use super::{Access, Atom, Comparison, Facts, Form};
use crate::ir::{CaptureId, ParLoop, SiteId};
use crate::report::{Code, Report, error};

/// Beyond that, even literal factors are left to the launch, which knows how far the variables go.
const SMALL: i64 = 1 << 15;

/// Reports iterations that may meet, once a buffer, and lists what the launch has to decide.
pub(crate) fn check(looped: &ParLoop, facts: &mut Facts, report: &mut Report) {
    facts.trusted = trusted(looped, facts);
    let mut views: Vec<CaptureId> = facts.accesses.iter().filter(|a| a.write && !a.trusted).map(|a| a.view).collect();
    views.sort_unstable();
    views.dedup();
    for view in views {
        let of_view = |a: &Access| a.view == view && !a.trusted;
        let mut group: Vec<usize> = (0..facts.accesses.len()).filter(|&at| of_view(&facts.accesses[at])).collect();
        let buffer = Buffer { looped, facts };
        match buffer.judge(&group).and_then(|verdict| buffer.told(&group, verdict)) {
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
                facts.races.push(group);
            }
            Err(conflict) => conflict.report(looped, facts, &group, report),
        }
    }
    too_many(looped, facts, report);
}

/// Reports more accesses than the launch can compare, of all buffers together.
fn too_many(looped: &ParLoop, facts: &Facts, report: &mut Report) {
    let count: usize = facts.races.iter().map(Vec::len).sum();
    let Some(first) = facts.races.iter().flatten().map(|&at| &facts.accesses[at]).next() else { return };
    if count <= MAX_RACING_ACCESSES {
        return;
    }
    let names: Vec<String> =
        facts.races.iter().map(|group| format!("`{}`", looped.body[facts.accesses[group[0]].view].name)).collect();
    let names = names.join(", ");
    let message = format!(
        "this loop has {count} different accesses of {names} to compare, and {MAX_RACING_ACCESSES} is the limit"
    );
    report.at(first.span, error(Code::TooManyAccesses, message).help("split the loop"));
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

pub(super) struct Buffer<'a> {
    pub(super) looped: &'a ParLoop,
    pub(super) facts: &'a Facts,
}

impl Buffer<'_> {
    fn judge(&self, group: &[usize]) -> Result<Verdict, Conflict> {
        let mut verdict = Verdict::Apart;
        let clusters = clusters(group, |a, b| self.disjoint(a, b));
        for cluster in &clusters {
            if !self.apart(cluster)? {
                verdict = Verdict::Launch;
            }
        }
        // Ranges are compared with what the host values are taken to be.
        Ok(if clusters.len() > 1 { Verdict::Launch } else { verdict })
    }

    /// What is left to the launch must be known to it: where an access lies, and where it ends.
    fn told(&self, group: &[usize], verdict: Verdict) -> Result<Verdict, Conflict> {
        let is_unknown = |access: &Access| access.index.is_none() || access.end.as_ref().is_some_and(Option::is_none);
        let unknown = group.iter().copied().find(|&at| is_unknown(self.access(at)));
        match (verdict, unknown) {
            (Verdict::Launch, Some(second)) => {
                let first = group.iter().copied().find(|&at| self.access(at).write).unwrap_or(second);
                Err(Conflict { first, second, why: Why::Opaque })
            }
            (verdict, _) => Ok(verdict),
        }
    }

    /// Whether the accesses of a cluster are apart whatever the numbers are; `false`: the launch decides.
    fn apart(&self, cluster: &[usize]) -> Result<bool, Conflict> {
        if !cluster.iter().any(|&at| self.access(at).write) {
            return Ok(true);
        }
        self.cluster(cluster).or_else(|conflict| {
            // Some of them may have nothing in common.
            let apart = |found: Option<bool>| found.unwrap_or(false);
            let parts = clusters(cluster, |a, b| apart(self.strangers(a, b)) || apart(self.across(a, b)));
            let apart = parts.len() > 1 && parts.iter().all(|part| self.apart(part).is_ok());
            if apart { Ok(false) } else { Err(conflict) }
        })
    }

    pub(super) fn access(&self, at: usize) -> &Access {
        &self.facts.accesses[at]
    }

    /// The same for accesses of which one writes, by rules 1 to 3.
    fn cluster(&self, cluster: &[usize]) -> Result<bool, Conflict> {
        let writes = cluster.iter().copied().find(|&at| self.access(at).write).unwrap_or(cluster[0]);
        let conflict = |second, why| Conflict { first: writes, second, why };
        let mut literal = true;
        // Without what conditions pin down: constants, and factors of the loop variables.
        let mut parts: Vec<(usize, Vec<Form>, Form, Vec<Digit>)> = Vec::new();
        for &at in cluster {
            let parted = self.parted(at).ok_or_else(|| conflict(at, Why::Opaque))?;
            let certain = |form: &Form| form.casts.is_empty() && self.facts.symbols.are_certain(form);
            literal &= self.access(at).index.as_ref().is_some_and(certain);
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
                // It may by an inner loop that begins elsewhere in each iteration.
                let ends = self.access(writes).loops.iter().flat_map(|l| [&l.values.first, &l.values.last]);
                let depends = ends.flatten().flat_map(Form::atoms).any(|atom| atom == Atom::Var(var));
                return Err(conflict(writes, if depends { Why::Opaque } else { Why::Missing(var) }));
            }
            let factor = magnitude(factor);
            literal &= factor.literal().is_some_and(|factor| factor < SMALL);
            let digit = Digit::new(factor, &extent.unwrap_or_else(|| unknown(var)), true, Kind::Loop(var));
            let digit = digit.and_then(|digit| digit.in_steps(range.step.as_ref()));
            digits.push(digit.ok_or_else(|| conflict(writes, Why::Distance))?);
        }
        // What inner loops add below the factors of all loop variables only makes each access wider.
        let smallest = digits.iter().map(|digit| digit.factor.clone()).min_by_key(at_sample);
        let least = smallest.as_ref().map_or(i64::MAX, at_sample);
        let mut ends = Vec::new();
        for (_, _, rest, inner) in &mut parts {
            let mut end = Some(rest.clone());
            for digit in inner.extract_if(.., |digit| at_sample(&digit.factor) < least) {
                literal &= digit.is_literal();
                end = end.and_then(|end| end.add(&digit.span));
            }
            ends.push(end.ok_or_else(|| conflict(writes, Why::Distance))?);
        }
        for (.., inner) in &mut parts {
            for digit in std::mem::take(inner) {
                literal &= digit.is_literal();
                let known = digits.iter_mut().find(|d| d.kind == Kind::Inner && d.factor.terms == digit.factor.terms);
                match known {
                    Some(known) if at_sample(&known.span) >= at_sample(&digit.span) => {}
                    Some(known) => known.span = digit.span,
                    None => digits.push(digit),
                }
            }
        }
        let rests = parts.iter().map(|(_, _, rest, _)| rest);
        let near = are_near(rests.clone());
        let width = spread(rests.clone(), &ends).ok_or_else(|| conflict(writes, Why::Distance))?;
        literal &= near && width.literal().is_some();
        let cluster = parts.iter().map(|(at, ..)| *at).collect::<Vec<_>>();
        // Accesses lie in one window below all loop variables, or their distances are digits, too.
        let below = |smallest: Form| smallest.sub(&width).is_some_and(|room| room.is_positive());
        let in_window = near || smallest.is_some_and(below);
        let window = self.radix(digits.clone(), width, &cluster, writes, &mut literal);
        if in_window && window.is_ok() {
            return Ok(literal);
        }
        let (distances, width) = distances(rests, &ends).ok_or_else(|| conflict(writes, Why::Distance))?;
        digits.extend(distances);
        match self.radix(digits, width, &cluster, writes, &mut literal) {
            Err(conflict) => Err(window.err().filter(|_| near).unwrap_or(conflict)),
            Ok(()) => Ok(false),
        }
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
        digits = merged(digits).ok_or_else(|| conflict(Why::Distance))?;
        let mut last: Option<(usize, Form)> = None;
        for digit in digits {
            if let Kind::Loop(var) = digit.kind {
                if let Some((other, _)) = last.filter(|(_, factor)| factor.terms == digit.factor.terms) {
                    return Err(conflict(Why::SameFactor(other, var)));
                }
                last = Some((var, digit.factor.clone()));
            }
            if last.is_some() {
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
            width = width.add(&digit.span).ok_or_else(|| conflict(Why::Distance))?;
        }
        Ok(())
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
}

/// Accesses that may meet, or that others join.
fn clusters(group: &[usize], never_meet: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = group.to_vec();
    let mut clusters = Vec::new();
    while let Some(seed) = left.pop() {
        let mut cluster = vec![seed];
        let mut next = 0;
        while next < cluster.len() {
            let (apart, meet) = left.iter().partition(|&&at| never_meet(cluster[next], at));
            cluster.extend::<Vec<usize>>(meet);
            left = apart;
            next += 1;
        }
        cluster.sort_unstable();
        clusters.push(cluster);
    }
    clusters
}

/// Whether it is at most 0 wherever all atoms are at least 1.
fn never_positive(form: &Form) -> bool {
    Form::constant(1).sub(form).is_some_and(|rest| rest.is_positive())
}
