//! Iterations of a `par` loop that touch the same element, refused before anything is launched.
//!
//! Whether a loop may run, the launch decides, with the numbers: it gets the accesses of every
//! buffer that a loop writes ([`LoopFacts::races`]), whatever is found here. The same decision is
//! made here with sample numbers ([`trials`](super::trials)). A loop is refused here if all of them
//! are refused, and
//!
//! - an index says nothing that a launch could use: it depends on data, or not on every loop
//!   variable,
//! - or two iterations that meet are found.

use std::collections::{BTreeMap, BTreeSet};

use super::conflict::{Conflict, Why};
use super::counterexample;
use super::made::Indexes;
use super::trials::{Trial, Trials};
use super::{Found, LoopFacts};
use crate::ir::{CaptureId, ParLoop, SiteId};
use crate::report::Report;

/// Trials in which two iterations that meet are searched.
const MOST_SEARCHES: usize = 4;
/// Steps of iterations that are run to see whether they are enough to show that none meet.
const MOST_STEPS: usize = 200_000;

/// Reports iterations that meet, once a buffer, and lists what the launch has to tell apart.
pub(crate) fn check(par_loop: &ParLoop, facts: &mut LoopFacts, report: &mut Report) {
    let sites = unsafe_sites(par_loop, facts);
    facts.unsafe_sites.extend(sites);
    std::mem::take(&mut facts.meetings).into_iter().for_each(|meeting| meeting.report(report));
    for group in by_buffers(facts, |found| !found.unsafe_access).into_values() {
        if let Some(conflict) = judge(par_loop, facts, &group) {
            conflict.report(par_loop, facts, &group, report);
        }
        facts.races.push(uncovered(facts, &group));
    }
}

/// Those of some accesses that are of a buffer which one of them writes.
fn by_buffers(facts: &LoopFacts, wanted: impl Fn(&Found) -> bool) -> BTreeMap<CaptureId, Vec<usize>> {
    let mut groups: BTreeMap<CaptureId, Vec<usize>> = BTreeMap::new();
    for (at, found) in facts.accesses.iter().enumerate().filter(|(_, found)| wanted(found)) {
        groups.entry(found.view()).or_default().push(at);
    }
    groups.retain(|_, group| group.iter().any(|&at| facts.accesses[at].access.write));
    groups
}

/// The accesses without those that others cover.
fn uncovered(facts: &LoopFacts, group: &[usize]) -> Vec<usize> {
    let covers = |one: usize, other: usize| facts.accesses[one].covers(&facts.accesses[other]);
    let mut kept: Vec<usize> = Vec::new();
    for &at in group {
        if !kept.iter().any(|&other| covers(other, at)) {
            kept.retain(|&other| !covers(at, other));
            kept.push(at);
        }
    }
    kept
}

impl Found {
    /// Whether it touches all that another one does, in the same iterations, and does no less to
    /// it.
    fn covers(&self, other: &Found) -> bool {
        let (one, another) = (&self.access, &other.access);
        (one.write || !another.write)
            && one.index == another.index
            && one.more == another.more
            && one.end == another.end
            && self.loops.iter().map(|l| l.atom).eq(other.loops.iter().map(|l| l.atom))
            && other.conditions.starts_with(&self.conditions)
    }
}

/// The sites in `unsafe` blocks that need them: those of buffers whose accesses some launch refuses
/// without, or that happen in none of those that are tried.
fn unsafe_sites(par_loop: &ParLoop, facts: &LoopFacts) -> BTreeSet<SiteId> {
    let mut groups = by_buffers(facts, |_| true);
    groups.retain(|_, group| {
        let in_unsafe = |at: &usize| facts.accesses[*at].unsafe_access;
        if !group.iter().any(in_unsafe) {
            return false;
        }
        let trials = Trials::of(par_loop, facts, group);
        let all: Vec<Trial> = trials.all().into_iter().chain(trials.drawn()).chain(trials.wild()).collect();
        let happens = |at: usize| {
            let is_enough = |trial: &Trial| !trial.is_small && trials.is_enough(trial, [at; 2], &mut { MOST_STEPS });
            all.iter().take(MOST_SEARCHES).any(is_enough)
        };
        all.iter().any(|trial| trials.refusal(trial).is_some()) || !group.iter().all(|&at| happens(at))
    });
    let needed = groups.into_values().flatten().map(|at| &facts.accesses[at]).filter(|found| found.unsafe_access);
    needed.filter_map(|found| found.site).collect()
}

/// What is wrong with the accesses of a buffer whatever the numbers of the launch are.
fn judge(par_loop: &ParLoop, facts: &LoopFacts, group: &[usize]) -> Option<Conflict> {
    let trials = Trials::of(par_loop, facts, group);
    let all: Vec<_> = trials.all().into_iter().map(|trial| (trials.refusal(&trial), trial)).collect();
    let indexes = Indexes::of(par_loop, facts);
    let are_refused = all.iter().filter(|(_, trial)| !trial.is_small).all(|(refusal, _)| refusal.is_some());
    let of_indexes = || by_indexes(&trials, &indexes, group, all.iter().find_map(|(refusal, _)| *refusal));
    are_refused.then(of_indexes).flatten().or_else(|| by_example(&trials, &indexes, &all))
}

/// An index that says nothing that a launch could use, among accesses that launches refuse.
fn by_indexes(
    trials: &Trials<'_>,
    indexes: &Indexes<'_>,
    group: &[usize],
    pair: Option<[usize; 2]>,
) -> Option<Conflict> {
    let Trials { par_loop, facts, .. } = *trials;
    let write = group.iter().copied().find(|&at| facts.accesses[at].access.write)?;
    let [first, second] = pair.unwrap_or([write; 2]);
    if let Some(at) = [second, first].into_iter().find(|&at| !indexes.is_called(at) && indexes.is_any(at)) {
        return Some(Conflict { first, second: at, why: Why::Unknown });
    }
    let all = [first, second].into_iter().chain(group.iter().copied()).filter(|&at| !indexes.is_called(at));
    let (at, var) = all.filter(|&at| facts.accesses[at].access.write).find_map(|at| {
        let mut vars = 0..par_loop.dims.len();
        Some((at, vars.find(|&var| indexes.misses(at, var) && !indexes.is_tied(at, var))?))
    })?;
    let own = [at];
    let trials = Trials::of(par_loop, facts, &own);
    let mut all = trials.all().into_iter();
    let example = all.find_map(|trial| Some(counterexample::tell(&trials, &trial, &trials.example(&trial)?)));
    Some(Conflict { first: at, second: at, why: Why::Missing(var, example) })
}

/// Two iterations that meet in one launch, if no launch is right.
fn by_example(trials: &Trials<'_>, indexes: &Indexes<'_>, all: &[(Option<[usize; 2]>, Trial)]) -> Option<Conflict> {
    let Trials { par_loop, facts, .. } = *trials;
    let mut refused = all.iter().filter(|(refusal, _)| refusal.is_some()).take(MOST_SEARCHES);
    let (trial, example) = refused.find_map(|(_, trial)| Some((trial, trials.example(trial)?)))?;
    let mut fuel = MOST_STEPS;
    let mut is_right = |trial: &Trial| !trial.is_small && trials.is_enough(trial, example.accesses, &mut fuel);
    if all.iter().any(|(refusal, trial)| refusal.is_none() && is_right(trial))
        || trials.drawn().any(|trial| trials.refusal(&trial).is_none() && is_right(&trial))
    {
        return None;
    }
    let [first, second] = example.accesses;
    let is_whole = example.accesses.iter().all(|&at| !facts.accesses[at].part);
    let text = is_whole.then(|| counterexample::tell(trials, trial, &example));
    let missed = (0..par_loop.dims.len()).find(|&var| first == second && indexes.misses(first, var));
    let why = match missed {
        Some(var) => Why::Missing(var, text),
        None => Why::Meet { example: text, by_data: example.accesses.iter().any(|&at| indexes.depends_on_data(at)) },
    };
    Some(Conflict { first, second, why })
}
