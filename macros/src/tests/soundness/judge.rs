//! What the macro and the launch say of a program, and whether that is true.

use std::collections::BTreeMap;

use anabranch_core::decide::{self, Refusal, Verdict};
use anabranch_core::facts::{Facts, Member, Source, wire};
use anabranch_core::limits::MOST_DIMS;
use anabranch_core::scalar::IntType;
use anabranch_programs::dress::{Class, Spelling};
use anabranch_programs::machine::{self, Conflict, End, Launch, Numbers, Outcome, Run};
use anabranch_programs::print::{self, Site};
use anabranch_programs::program::Program;
use anabranch_programs::types::Scalar;

use super::examples::{self, Shown};
use super::types;
use crate::analysis::lanes::Checks;
use crate::analysis::{access, conflicts, fused};
use crate::ir::CaptureKind;
use crate::report::Report;
use crate::{args, ir, parse};

/// A program that has gone through the macro.
pub(super) struct Judged<'p> {
    program: &'p Program,
    text: print::Text,
    /// What the macro says of it; empty if it is accepted.
    pub(super) said: String,
    /// The loops that it refuses with an example, by their numbers.
    shown: Vec<(usize, String)>,
    loops: Vec<Described>,
}

/// A loop, as the launch knows it.
pub(super) struct Described {
    facts: Facts,
    types: Vec<Option<IntType>>,
    /// Their values, by slots.
    constants: BTreeMap<usize, i128>,
    /// What the body uses of the host part.
    captures: Vec<(String, CaptureKind)>,
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
    /// Refusals of loops that name two iterations.
    pub(super) examples: usize,
    /// An iteration of a loop that runs fails.
    pub(super) failed: bool,
}

/// Puts a program through the macro.
///
/// # Errors
/// It is not in the language.
pub(super) fn compile(program: &Program) -> Result<Judged<'_>, syn::Error> {
    compile_as(program, &Spelling::default())
}

/// Puts a program in some spelling through the macro.
///
/// # Errors
/// It is not in the language.
pub(super) fn compile_as<'p>(program: &'p Program, spelling: &Spelling) -> Result<Judged<'p>, syn::Error> {
    described(program, print::dressed(program, "k", spelling.dress(program)), None)
}

/// Puts another text of a program through the macro, whose loops are over the blocks from 1 to
/// below [`BLOCKS`].
///
/// # Errors
/// It is not in the language.
pub(super) fn compile_in_blocks<'p>(program: &'p Program, source: &str) -> Result<Judged<'p>, syn::Error> {
    let text = print::dressed(program, "k", Spelling::default().dress(program));
    described(program, print::Text { source: source.to_owned(), ..text }, Some(Scalar::Usize))
}

/// The end of loops over blocks.
pub(super) const BLOCKS: u64 = 4;

/// The loops of a program; `of_blocks`: the type of what they count, if that is blocks.
fn described(program: &Program, text: print::Text, of_blocks: Option<Scalar>) -> Result<Judged<'_>, syn::Error> {
    let (kernel, checked, said) = through_the_macro(&text.source)?;
    let loops = kernel.loops.iter().zip(&checked).zip(program.loops()).map(|((par_loop, facts), of)| {
        let own = || of.dims.iter().map(|dim| program.var(dim.var).scalar()).collect();
        let vars: Vec<Scalar> = of_blocks.map_or_else(own, |ty| vec![ty]);
        described_loop(program, &text, par_loop, facts, &vars)
    });
    let loops = loops.collect();
    let all = if said.is_empty() { &[][..] } else { &kernel.loops };
    let shown = all.iter().enumerate().flat_map(|(number, par_loop)| {
        let mut report = Report::default();
        access::check(std::slice::from_ref(par_loop), false, &mut report);
        let errors: Vec<String> = report.check().err().into_iter().flatten().map(|error| error.to_string()).collect();
        let examples = errors.iter().flat_map(|error| error.lines()).filter_map(|line| line.strip_prefix("example: "));
        examples.map(|example| (number, example.to_owned())).collect::<Vec<_>>()
    });
    let shown = shown.collect();
    Ok(Judged { program, text, said, shown, loops })
}

/// A loop of a program with variables of these types.
fn described_loop(
    program: &Program,
    text: &print::Text,
    par_loop: &ir::ParLoop,
    facts: &access::LoopFacts,
    vars: &[Scalar],
) -> Described {
    let values = program.host_values();
    let value = |name: &str| {
        let value = values.iter().rev().find(|value| program.name(**value) == name);
        value.and_then(|value| program.ty(*value).scalar())
    };
    let constant = |span: proc_macro2::Span| {
        let start = span.start();
        text.constants.get(&(start.line as u32, start.column as u32 + 1)).copied()
    };
    let came = wire::decode(&wire::encode(&facts.told)).expect("they are facts");
    assert_eq!(came, facts.told);
    let (types, constants) = types::of(par_loop, vars, &value, &constant);
    let captures =
        par_loop.body.captures.iter().map(|capture| (crate::names::plain(&capture.name), capture.kind)).collect();
    Described { facts: came, types, constants, captures }
}

/// The text of a program, as it is put through the macro.
pub(super) fn source(program: &Program) -> String {
    print::dressed(program, "k", Spelling::default().dress(program)).source
}

/// The last two loops of a program as one, if the macro makes one of them: what the launch says of
/// it.
///
/// # Errors
/// It is not in the language.
pub(super) fn fused(program: &Program) -> Result<Option<Described>, syn::Error> {
    let text = print::dressed(program, "k", Spelling::default().dress(program));
    let (kernel, _, said) = through_the_macro_with(&text.source, Some(&fused::check))?;
    let loops = kernel.loops.len();
    let last_two = |of: &&ir::Fused| said.is_empty() && of.alike == (loops.saturating_sub(2)..loops);
    let Some(of) = kernel.fused.last().filter(last_two) else { return Ok(None) };
    let mut report = Report::default();
    let facts = access::check(std::slice::from_ref(&of.par_loop), false, &mut report);
    report.check().expect("it has been checked");
    let vars: Vec<Scalar> =
        program.loops()[of.alike.start].dims.iter().map(|dim| program.var(dim.var).scalar()).collect();
    let Some(facts) = facts.first() else { return Ok(None) };
    let described = described_loop(program, &text, &of.par_loop, facts, &vars);
    let checks = Checks::of_types(&of.par_loop, facts).expect("the macro has asked");
    let divides = checks.divisions.iter().any(|slot| described.types.get(slot.0).copied().flatten().is_some());
    Ok((!divides).then_some(described))
}

/// What the macro says of a source text; nothing if it is accepted.
///
/// # Errors
/// It is not in the language.
pub(super) fn said(source: &str) -> Result<String, syn::Error> {
    through_the_macro(source).map(|(.., said)| said)
}

/// The kernel of a source text, and the facts of its loops.
///
/// # Errors
/// It is not in the language.
pub(super) fn kernel_of(source: &str) -> Result<(ir::Kernel, Vec<access::LoopFacts>), syn::Error> {
    through_the_macro(source).map(|(kernel, checked, _)| (kernel, checked))
}

fn through_the_macro(source: &str) -> Result<(ir::Kernel, Vec<access::LoopFacts>, String), syn::Error> {
    through_the_macro_with(source, None)
}

fn through_the_macro_with(
    source: &str,
    fusible: Option<parse::Fusible<'_>>,
) -> Result<(ir::Kernel, Vec<access::LoopFacts>, String), syn::Error> {
    let function: syn::ItemFn = syn::parse2(super::super::tokens(source))?;
    let mut report = Report::default();
    let args::Args { krate, .. } = args::parse("kernel", proc_macro2::TokenStream::new(), &mut report);
    let (header, params) = parse::declaration(krate, &function, false, &mut report);
    let kernel = parse::kernel(header, params, *function.block, fusible, &mut report);
    report.check()?;
    let mut report = Report::default();
    let checked = access::check(&kernel.loops, false, &mut report);
    conflicts::check(&kernel.forks, &mut report);
    let said: Vec<String> = match report.check() {
        Ok(()) => Vec::new(),
        Err(errors) => errors.into_iter().map(|error| error.to_string()).collect(),
    };
    Ok((kernel, checked, said.join("\n")))
}

impl Judged<'_> {
    fn tell(&self, Conflict { buffer, element, first, second }: Conflict) -> String {
        let name = self.program.buffers().nth(buffer).map_or("", |buffer| self.program.name(buffer));
        format!("{first} and {second} meet at element {element} of `{name}`")
    }

    /// The classes of its spelling, and how often each is used.
    pub(super) fn spelled(&self) -> impl Iterator<Item = (Class, usize)> + '_ {
        self.text.dress.used.iter().map(|(class, count)| (*class, *count))
    }

    /// What the machine shows of the examples of the macro.
    pub(super) fn shown(&self) -> impl Iterator<Item = (&str, Shown)> + '_ {
        self.shown.iter().map(|(number, text)| (text.as_str(), examples::try_out(self.program, *number, text)))
    }

    pub(super) fn source(&self) -> &str {
        &self.text.source
    }

    /// What the launch says of the phase that a loop is; `None`: nothing is known of the loop.
    pub(super) fn decide_phases(&self, launch: &Launch<'_, '_>) -> Option<Result<(), Refusal>> {
        self.loops.get(launch.par_loop.number).map(|described| described.decide_phases(launch))
    }

    /// Launches the program.
    pub(super) fn launch(&self, numbers: &Numbers) -> (Verdicts, Run) {
        let mut decisions: Vec<Option<Result<Verdict, Refusal>>> = Vec::new();
        let mut examples: Vec<Option<[usize; 2]>> = Vec::new();
        let run = machine::run(self.program, numbers, &mut |launch| {
            let described = self.loops.get(launch.par_loop.number);
            let decision = described.map(|described| described.decide(launch));
            decisions.push(decision);
            let refusal = decision.and_then(Result::err);
            let example = described.zip(refusal).and_then(|(described, refusal)| described.example(launch, refusal));
            example.into_iter().for_each(|pair| launch.watch(pair));
            examples.push(example);
            // What the macro refuses, the launch must refuse by itself: it runs to the end, so that
            // all of it is judged.
            !matches!(decision, Some(Err(_))) || !self.said.is_empty()
        });
        let mut verdicts = Verdicts { accepted: self.said.is_empty(), ..Verdicts::default() };
        if run.end == End::Endless {
            return (verdicts, run);
        }
        let aliased = self.program.is_aliased();
        // rustc refuses a literal that its type does not hold.
        let wrapped = run.wrapped || self.spelled().any(|(class, count)| class == Class::Overflow && count > 0);
        for (((number, outcome), decision), example) in run.loops.iter().zip(decisions).zip(examples) {
            if let Some(pair) = example {
                verdicts.examples += 1;
                // What fails before is told first.
                if outcome.met().next().is_none() && !outcome.broken {
                    verdicts.blame(format!("loop {number} is refused with the example {pair:?}, which do not meet"));
                }
            }
            verdicts.conflict |= outcome.conflict.is_some();
            verdicts.failed |= decision.is_some_and(|decision| decision.is_ok()) && outcome.has_failed();
            if let (Some(decision), Some(described)) = (decision, self.loops.get(*number)) {
                let judged = Loop { judged: self, described, number: *number, outcome, aliased, wrapped };
                judged.compare(decision, &mut verdicts);
            }
        }
        if let (true, false, Some(met)) = (verdicts.accepted, aliased, run.groups) {
            verdicts.blame(format!("groups {}", self.tell(met)));
        }
        verdicts.conflict |= run.groups.is_some();
        (verdicts, run)
    }
}

/// A run of a loop that the macro has accepted.
struct Loop<'j> {
    judged: &'j Judged<'j>,
    described: &'j Described,
    number: usize,
    outcome: &'j Outcome,
    aliased: bool,
    wrapped: bool,
}

impl Loop<'_> {
    /// The access that stands at a place.
    fn access(&self, site: Site) -> Option<usize> {
        let (line, column) = self.judged.text.places[&site];
        let accesses = &self.described.facts.accesses;
        accesses.iter().position(|access| (access.line, access.column) == (line, column))
    }

    fn compare(&self, decision: Result<Verdict, Refusal>, verdicts: &mut Verdicts) {
        let Loop { number, outcome, .. } = self;
        let accesses = &self.described.facts.accesses;
        for (site, index) in outcome.outside.iter().filter(|_| !self.wrapped) {
            if self.access(*site).is_some_and(|at| accesses[at].proved) {
                let place = self.judged.text.places[site];
                verdicts.blame(format!("loop {number}: the access at {place:?} is proved, but it is at {index}"));
            }
        }
        match decision {
            Ok(verdict) => {
                verdicts.loops += 1;
                if let Some(met) = outcome.conflict.filter(|_| !self.aliased) {
                    verdicts.blame(format!("loop {number} is accepted, but iterations {}", self.judged.tell(met)));
                }
                if verdict == Verdict::Checked {
                    return;
                }
                verdicts.proved += 1;
                for (site, index) in &outcome.outside {
                    if self.access(*site).is_some_and(|at| accesses[at].decided) {
                        let place = self.judged.text.places[site];
                        verdicts.blame(format!("loop {number} runs without checks, but at {place:?} is {index}"));
                    }
                }
            }
            Err(Refusal::Overlap { .. } | Refusal::OverlapInPhase { .. }) => {
                (verdicts.accepted, verdicts.overlap) = (false, true);
            }
            Err(Refusal::OutOfBounds { access: at, index, .. }) => {
                (verdicts.accepted, verdicts.outside) = (false, true);
                // Not always with this index: another one may come first in the same iteration.
                let met = outcome.outside.iter().any(|(site, _)| self.access(*site) == Some(at));
                // What fails before is told first on a device.
                if !met && !outcome.has_failed() {
                    let place = (accesses[at].line, accesses[at].column);
                    verdicts.blame(format!("loop {number} is refused: at {place:?} is {index}; but it never is"));
                }
            }
        }
    }
}

impl Verdicts {
    fn blame(&mut self, what: String) {
        self.wrong.get_or_insert(what);
    }
}

impl Described {
    pub(super) fn decide(&self, launch: &Launch<'_, '_>) -> Result<Verdict, Refusal> {
        if self.facts.accesses.is_empty() {
            return Ok(Verdict::Proved { narrow: true });
        }
        let unknown = || decide::without_numbers(&self.facts);
        self.with(launch, |numbers| decide::decide(&self.facts, numbers)).unwrap_or_else(unknown)
    }

    /// The numbers of two iterations that meet for sure, as an error of the launch would name them.
    fn example(&self, launch: &Launch<'_, '_>, refusal: Refusal) -> Option<[usize; 2]> {
        let example = self.with(launch, |numbers| decide::example(&self.facts, numbers, refusal)).flatten()?;
        let number = |values: &Vec<i128>| machine::iteration(launch.axes, values).expect("an iteration of the loop");
        Some(example.pair.each_ref().map(number))
    }

    /// `None`: names of one spelling are different numbers.
    fn with<R>(&self, launch: &Launch<'_, '_>, of: impl FnOnce(&decide::Numbers<'_>) -> R) -> Option<R> {
        let mut axes = [decide::Axis { lo: 0, step: 1, trips: 1 }; 3];
        for (to, from) in axes.iter_mut().zip(launch.axes) {
            *to = decide::Axis { lo: from.lo, step: from.step, trips: from.trips };
        }
        let symbols = self.symbols(launch)?;
        let types = |slot| self.types.get(slot).copied().flatten();
        let axes = &axes[..launch.axes.len()];
        Some(of(&decide::Numbers { blocks: &[], axes, symbols: &symbols, types: &types }))
    }

    /// `None`: names of one spelling are different numbers.
    fn symbols(&self, launch: &Launch<'_, '_>) -> Option<Vec<Option<i128>>> {
        let capture = |number: usize, _: &Member| match self.captures.get(number)? {
            (name, CaptureKind::Value) => launch.value(name),
            (name, CaptureKind::View(..)) => launch.len(name).map(|len| len as i128),
            (_, CaptureKind::Extent(grid, dim)) => launch.extent(&self.captures.get(grid.0)?.0, *dim),
            (_, CaptureKind::Stride(grid, dim)) => {
                let (name, _) = self.captures.get(grid.0)?;
                let dims = (dim + 1..MOST_DIMS).map_while(|dim| launch.extent(name, dim));
                Some(dims.product())
            }
        };
        let number = |source: &Source| decide::number(source, capture, |slot, _| self.constants.get(&slot).copied());
        self.facts.sources.iter().map(number).collect::<Result<Vec<_>, _>>().ok()
    }

    fn decide_phases(&self, launch: &Launch<'_, '_>) -> Result<(), Refusal> {
        let axes = [decide::Axis { lo: 1, step: 1, trips: BLOCKS - 1 }];
        let Some(symbols) = self.symbols(launch) else { return decide::without_numbers(&self.facts).map(drop) };
        let types = |slot| self.types.get(slot).copied().flatten();
        let numbers = decide::Numbers { blocks: &[], axes: &axes, symbols: &symbols, types: &types };
        decide::decide_phases(&self.facts, &numbers)
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
