//! What the macro and the launch say of a program, and whether that is true.

use std::collections::BTreeMap;

use anabranch::private::facts::{self, Facts, IntType, Refusal, Verdict};

use super::machine::{self, Launch, Run};
use super::program::{Host, Numbers, Program, Ty};
use super::{facts as data, print, types};
use crate::analysis::{access, conflicts};
use crate::report::Report;
use crate::{args, parse};

/// A program that has gone through the macro.
pub(super) struct Judged<'p> {
    program: &'p Program,
    text: print::Text,
    /// What the macro says of it; empty if it is accepted.
    pub(super) said: String,
    loops: Vec<Described>,
}

/// A loop, as the launch knows it.
struct Described {
    facts: Facts,
    types: Vec<Option<IntType>>,
    /// What makes the host values.
    symbols: Vec<String>,
}

/// What came of a launch.
#[derive(Debug, Default)]
pub(super) struct Verdicts {
    /// Something that must not be.
    pub(super) wrong: Option<String>,
    /// Two iterations, or two groups, met.
    pub(super) conflict: bool,
    /// The macro and the launch let everything run.
    pub(super) accepted: bool,
    /// Loops that run, and those of them whose accesses are shown to be in bounds.
    pub(super) loops: usize,
    pub(super) proved: usize,
    /// The launch refuses, because accesses may overlap or because one is out of bounds.
    pub(super) overlap: bool,
    pub(super) outside: bool,
    /// The program says nothing with these numbers.
    pub(super) endless: bool,
}

/// Puts a program through the macro.
///
/// # Errors
/// It is not in the language.
pub(super) fn compile(program: &Program) -> Result<Judged<'_>, syn::Error> {
    let text = print::kernel(program, "k");
    let tokens = super::super::tokens(&text.source);
    let function: syn::ItemFn = syn::parse2(tokens)?;
    let mut report = Report::default();
    let args::Args { krate, .. } = args::parse("kernel", proc_macro2::TokenStream::new(), &mut report);
    let (header, params) = parse::declaration(krate, &function, &mut report);
    let kernel = parse::kernel(header, params, *function.block, &mut report);
    report.check()?;
    let mut report = Report::default();
    let checked = access::check(&kernel.loops, false, &mut report);
    conflicts::check(&kernel.forks, &mut report);
    let said: Vec<String> = match report.check() {
        Ok(()) => Vec::new(),
        Err(errors) => errors.into_iter().map(|error| error.to_string()).collect(),
    };
    let value = |name: &str| program.values.iter().rev().find(|(other, _)| *other == name).map(|(_, ty)| *ty);
    let private: proc_macro2::TokenStream = quote::quote!(p);
    let loops = kernel.loops.iter().zip(&checked).zip(variables(program)).map(|((looped, facts), vars)| Described {
        facts: data::of(facts.tokens(&private, looped.dims.len())),
        types: types::of(looped, &vars, &value),
        symbols: facts.symbols().map(|tokens| tokens.to_string().replace(' ', "")).collect(),
    });
    let loops = if said.is_empty() { loops.collect() } else { Vec::new() };
    Ok(Judged { program, text, said: said.join("\n"), loops })
}

/// The types of the variables of every loop.
fn variables(program: &Program) -> Vec<Vec<Ty>> {
    fn collect(program: &Program, hosts: &[Host], all: &mut Vec<Vec<Ty>>) {
        for host in hosts {
            match host {
                Host::Loop(looped) => {
                    all.push(looped.dims.iter().map(|dim| program.locals[dim.var].ty).collect());
                }
                Host::For(_, _, body) | Host::If(_, body) => collect(program, body, all),
                Host::Groups(groups) => groups.iter().for_each(|group| collect(program, group, all)),
                Host::Let(..) | Host::Split { .. } => {}
            }
        }
    }
    let mut all = Vec::new();
    collect(program, &program.host, &mut all);
    all
}

impl Judged<'_> {
    pub(super) fn source(&self) -> &str {
        &self.text.source
    }

    /// Launches the program.
    pub(super) fn launch(&self, numbers: &Numbers) -> (Verdicts, Run) {
        let mut decisions: Vec<Option<Result<Verdict, Refusal>>> = Vec::new();
        let run = machine::run(self.program, numbers, &mut |launch| {
            let decision = self.loops.get(launch.looped.number).map(|described| described.decide(launch));
            decisions.push(decision);
            !matches!(decision, Some(Err(_)))
        });
        let mut verdicts = Verdicts { endless: run.endless, accepted: self.said.is_empty(), ..Verdicts::default() };
        if run.endless {
            return (verdicts, run);
        }
        for ((number, outcome), decision) in run.loops.iter().zip(decisions) {
            verdicts.conflict |= outcome.conflict.is_some();
            let (Some(decision), Some(described)) = (decision, self.loops.get(*number)) else { continue };
            // Ids of places that the launch decides, and the other way round.
            let access = |id: usize| {
                let (line, column) = self.text.places[id];
                described.facts.accesses.iter().position(|access| (access.line, access.column) == (line, column))
            };
            for (id, index) in &outcome.outside {
                if !run.wrapped && access(*id).is_some_and(|at| described.facts.accesses[at].proved) {
                    verdicts.blame(format!(
                        "loop {number}: the access at {:?} is proved to be in bounds, but it is at {index}",
                        self.text.places[*id]
                    ));
                }
            }
            match decision {
                Ok(verdict) => {
                    verdicts.loops += 1;
                    if let Some(met) = outcome.conflict {
                        verdicts.blame(format!(
                            "loop {number} is accepted, but iterations {} and {} meet at element {} of `{}`",
                            met.first, met.second, met.element, self.program.views[met.buffer]
                        ));
                    }
                    if verdict == Verdict::Checked {
                        continue;
                    }
                    verdicts.proved += 1;
                    for (id, index) in &outcome.outside {
                        let decided = access(*id).is_some_and(|at| described.facts.accesses[at].decided);
                        if decided {
                            verdicts.blame(format!(
                                "loop {number}: all accesses are shown to be in bounds, but that at {:?} is at {index}",
                                self.text.places[*id]
                            ));
                        }
                    }
                }
                Err(Refusal::Overlap { .. }) => (verdicts.accepted, verdicts.overlap) = (false, true),
                Err(Refusal::OutOfBounds { access: at, index, .. }) => {
                    (verdicts.accepted, verdicts.outside) = (false, true);
                    // Not always with this index: another one may come first in the same iteration.
                    let met = outcome.outside.iter().any(|(id, _)| access(*id) == Some(at));
                    // What fails before is told first on a device.
                    let fails_before =
                        outcome.panicked || outcome.outside.iter().any(|(id, _)| access(*id) != Some(at));
                    if !met && !fails_before {
                        let refused = &described.facts.accesses[at];
                        verdicts.blame(format!(
                            "loop {number} is refused, because that at {:?} is at {index}, but it never is",
                            (refused.line, refused.column)
                        ));
                    }
                }
            }
        }
        if let (true, Some(met)) = (verdicts.accepted, run.groups) {
            verdicts.blame(format!(
                "groups {} and {} meet at element {} of `{}`",
                met.first, met.second, met.element, self.program.views[met.buffer]
            ));
        }
        verdicts.conflict |= run.groups.is_some();
        (verdicts, run)
    }
}

impl Verdicts {
    fn blame(&mut self, what: String) {
        self.wrong.get_or_insert(what);
    }
}

impl Described {
    fn decide(&self, launch: &Launch<'_, '_>) -> Result<Verdict, Refusal> {
        if self.facts.accesses.is_empty() {
            return Ok(Verdict::Proved { narrow: true });
        }
        let mut axes = [facts::Axis { lo: 0, step: 1, trips: 1 }; 3];
        for (to, from) in axes.iter_mut().zip(launch.axes) {
            *to = facts::Axis { lo: from.lo, step: from.step, trips: from.trips };
        }
        let symbols: Vec<Option<i128>> = self.symbols.iter().map(|symbol| self.number(symbol, launch)).collect();
        self.facts.decide(&facts::Numbers {
            axes: &axes[..launch.axes.len()],
            symbols: &symbols,
            types: &|slot| self.types.get(slot).copied().flatten(),
        })
    }

    /// `n`, `x.len()`, `x`, where only its length is captured.
    fn number(&self, symbol: &str, launch: &Launch<'_, '_>) -> Option<i128> {
        let len = |view: &str| launch.len(view).map(|len| len as i128);
        match symbol.strip_suffix(".len()") {
            Some(view) => len(view),
            None => launch.value(symbol).or_else(|| len(symbol)),
        }
    }
}

/// Why programs are refused: what is said, without names and numbers.
pub(super) fn shape(said: &str) -> String {
    let first = said.lines().next().unwrap_or_default();
    let mut words: BTreeMap<usize, String> = BTreeMap::new();
    for (at, part) in first.split('`').enumerate() {
        words.insert(at, if at % 2 == 0 { part.to_owned() } else { "…".to_owned() });
    }
    let text: String = words.into_values().collect();
    text.split([';', '(']).next().unwrap_or_default().trim().to_owned()
}
