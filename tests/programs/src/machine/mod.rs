//! Runs programs as Rust does in a release build, iteration by iteration, and looks at every
//! element that is touched. It shares nothing with the analyses that it judges.

mod body;

use std::cell::Cell;

use crate::print::Site;
use crate::program::{Adaptor, Dim, Host, Loop, Program, Range, VarId, shape};
use crate::rng::Rng;
use crate::types::{Scalar, Ty};

/// Statements and iterations that a launch may take.
const FUEL: usize = 40_000;

/// What a kernel is launched with.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// Of the parameters that are no buffers.
    pub values: Vec<i128>,
    /// Of the buffers.
    pub lens: Vec<usize>,
}

/// What one run of a `par` loop did.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Two iterations touched one element, and one of them wrote it.
    pub conflict: Option<Conflict>,
    /// What the two iterations touched that are [watched](Launch::watch), but for what is `unsafe`;
    /// and whether one of them failed.
    pub touches: Vec<Touch>,
    pub broken: bool,
    /// Accesses of elements that were out of bounds: the place and the index.
    pub outside: Vec<(Site, i128)>,
    /// An iteration ended early for another reason.
    pub panicked: bool,
    /// Of these, one because a part of a view was out of bounds.
    pub outside_parts: bool,
}

impl Outcome {
    pub fn has_failed(&self) -> bool {
        self.panicked || !self.outside.is_empty()
    }

    /// The elements that both watched iterations touch, and one of them writes.
    pub fn met(&self) -> impl Iterator<Item = &Touch> {
        let meets = |a: &Touch, b: &Touch| {
            a.iteration != b.iteration && (a.buffer, a.element) == (b.buffer, b.element) && (a.write || b.write)
        };
        self.touches.iter().filter(move |a| self.touches.iter().any(|b| meets(a, b)))
    }
}

/// An element that an iteration touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Touch {
    pub iteration: usize,
    pub buffer: usize,
    pub element: usize,
    pub write: bool,
}

/// An element that two iterations, or two groups, touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub buffer: usize,
    pub element: usize,
    pub first: usize,
    pub second: usize,
}

/// The values of a loop variable: `lo + step * t` for all `t < trips`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    pub lo: i128,
    pub step: i128,
    pub trips: u64,
}

/// What all of a launch did.
#[derive(Debug)]
pub struct Run {
    /// Every run of a loop, in order, with what the launch had said to it.
    pub loops: Vec<(usize, Outcome)>,
    /// Two groups that touched one element, one of them writing.
    pub groups: Option<Conflict>,
    /// Arithmetic of the host part has wrapped, which is a panic in a debug build.
    pub wrapped: bool,
    /// The largest element that was asked for, by buffers.
    pub most: Vec<usize>,
    pub end: End,
    /// The buffers at the end.
    pub memory: Vec<Vec<u32>>,
}

/// How a launch ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All loops have run; iterations may have failed.
    Ran,
    /// It would take too long.
    Endless,
    /// A loop was refused.
    Refused,
    ZeroStep,
    HostPanicked,
}

/// What is known where a loop begins.
pub struct Launch<'m, 'p> {
    pub par_loop: &'p Loop,
    pub axes: &'m [Axis],
    machine: &'m Machine<'p>,
}

/// The number of the iteration with these values of the variables, as [`Touch`] counts. Of a loop
/// that no machine ends it may wrap.
pub fn iteration(axes: &[Axis], values: &[i128]) -> Option<usize> {
    axes.iter().zip(values).try_fold(0usize, |number, (axis, value)| {
        let trip = u64::try_from((value - axis.lo) / axis.step).ok().filter(|trip| *trip < axis.trips)?;
        (axis.lo + axis.step * i128::from(trip) == *value)
            .then_some(number.wrapping_mul(axis.trips as usize).wrapping_add(trip as usize))
    })
}

impl Launch<'_, '_> {
    /// Says what these two iterations of the loop touch.
    pub fn watch(&self, iterations: [usize; 2]) {
        self.machine.watched.set(Some(iterations));
    }

    /// A host value by its name.
    pub fn value(&self, name: &str) -> Option<i128> {
        self.named(name, false).map(|var| self.machine.values[var])
    }

    /// The length of a view by its name.
    pub fn len(&self, name: &str) -> Option<usize> {
        self.named(name, true).map(|var| self.machine.views[var].len)
    }

    /// The number of elements of a grid along a dimension, by its name.
    pub fn extent(&self, name: &str, dim: usize) -> Option<i128> {
        let var = self.named(name, true)?;
        let shape = shape(self.machine.views[var].len, self.machine.program.vars[var].minor);
        shape.get(dim).map(|extent| *extent as i128)
    }

    /// The buffer that a view is of, and the element that it begins with.
    pub fn place(&self, name: &str) -> Option<(usize, usize)> {
        self.named(name, true).map(|var| self.machine.views[var]).map(|Window { buffer, start, .. }| (buffer, start))
    }

    fn named(&self, name: &str, view: bool) -> Option<usize> {
        named(self.machine.program, &self.machine.known, name, view)
    }
}

/// The last variable of the host part with a name.
fn named(program: &Program, known: &[VarId], name: &str, view: bool) -> Option<usize> {
    let hit = |var: &VarId| program.name(*var) == name && matches!(program.ty(*var), Ty::Slice(_)) == view;
    known.iter().copied().filter(hit).max().map(|var| var.0)
}

/// Why an iteration, or the launch, ends.
enum Stop {
    Continue,
    Break,
    Panic,
    Outside(Site, i128),
    /// The launch was refused.
    Refused,
    /// A range with a step of 0.
    ZeroStep,
    Endless,
}

#[derive(Clone, Copy, Default)]
struct Window {
    buffer: usize,
    start: usize,
    len: usize,
}

/// Who has touched an element.
#[derive(Clone, Copy, Default)]
struct Visits {
    first: Option<usize>,
    second: Option<usize>,
    written: bool,
}

impl Visits {
    fn add(&mut self, by: usize, write: bool) {
        match self.first {
            None => self.first = Some(by),
            Some(first) if first != by => self.second = Some(by),
            Some(_) => {}
        }
        self.written |= write;
    }
}

type Elements = Vec<Vec<Visits>>;

fn conflict(elements: &Elements) -> Option<Conflict> {
    let mut all = elements.iter().enumerate().flat_map(|(at, visits)| visits.iter().enumerate().map(move |v| (at, v)));
    all.find_map(|(buffer, (element, visits))| match *visits {
        Visits { first: Some(first), second: Some(second), written: true } => {
            Some(Conflict { buffer, element, first, second })
        }
        _ => None,
    })
}

struct Machine<'p> {
    program: &'p Program,
    /// Variables of the host part that have a value.
    known: Vec<VarId>,
    /// By variables: numbers and truths, views, arrays.
    values: Vec<i128>,
    views: Vec<Window>,
    arrays: Vec<Vec<i128>>,
    memory: Vec<Vec<u32>>,
    /// What the iteration has observed so far.
    seen: u32,
    fuel: usize,
    /// Where numbers come from of which nothing is known.
    unknown: Rng,
    /// Device code runs.
    device: bool,
    /// Number of `unsafe` blocks around.
    trusted: usize,
    iteration: usize,
    elements: Elements,
    /// By forks around: the group, and who has touched what.
    forks: Vec<(usize, Elements)>,
    outcome: Outcome,
    run: Run,
    /// What host values and lengths are where a loop begins, by their names.
    given: &'p [(String, i128)],
    watched: Cell<Option<[usize; 2]>>,
}

/// Launches a program. `decide` is asked before every loop whether it may run.
pub fn run(program: &Program, numbers: &Numbers, decide: &mut dyn FnMut(&Launch<'_, '_>) -> bool) -> Run {
    run_given(program, numbers, &[], decide)
}

/// The same where host values and lengths (`x.len()`) have these numbers when a loop begins,
/// whatever the host part makes of them. A loop does not run where a number is none of its
/// variable.
pub fn run_given(
    program: &Program,
    numbers: &Numbers,
    given: &[(String, i128)],
    decide: &mut dyn FnMut(&Launch<'_, '_>) -> bool,
) -> Run {
    let memory: Vec<Vec<u32>> =
        numbers.lens.iter().enumerate().map(|(at, len)| (0..*len).map(|k| content(at, k)).collect()).collect();
    let count = program.vars.len();
    let (mut values, mut views) = (vec![0; count], vec![Window::default(); count]);
    program.values().zip(&numbers.values).for_each(|(var, value)| values[var.0] = *value);
    for (buffer, (var, len)) in program.buffers().zip(&numbers.lens).enumerate() {
        let len = match program.vars[var.0].minor {
            [] => *len,
            minor => shape(*len, minor).iter().product(),
        };
        views[var.0] = Window { buffer, start: 0, len };
    }
    let run = Run {
        loops: Vec::new(),
        groups: None,
        wrapped: false,
        most: vec![0; memory.len()],
        end: End::Ran,
        memory: Vec::new(),
    };
    let mut machine = Machine {
        program,
        known: program.params.clone(),
        values,
        views,
        arrays: vec![Vec::new(); count],
        elements: Elements::new(),
        memory,
        seen: 0,
        fuel: FUEL,
        unknown: Rng::new(1),
        device: false,
        trusted: 0,
        iteration: 0,
        forks: Vec::new(),
        outcome: Outcome::default(),
        run,
        given,
        watched: Cell::new(None),
    };
    let end = machine.hosts(&program.host, decide);
    let end = match end {
        Ok(()) => End::Ran,
        Err(Stop::Endless) => End::Endless,
        Err(Stop::Refused) => End::Refused,
        Err(Stop::ZeroStep) => End::ZeroStep,
        Err(Stop::Continue | Stop::Break | Stop::Panic | Stop::Outside(..)) => End::HostPanicked,
    };
    // Scratch is no result.
    machine.memory.truncate(numbers.lens.len());
    machine.run.most.truncate(numbers.lens.len());
    Run { end, memory: machine.memory, ..machine.run }
}

/// What is in a buffer before the launch: small numbers, and some that are not.
pub fn content(buffer: usize, element: usize) -> u32 {
    let mixed = (element as u32).wrapping_mul(2_654_435_761) ^ (buffer as u32 * 977);
    if mixed.is_multiple_of(7) { mixed } else { mixed % 9 }
}

impl<'p> Machine<'p> {
    fn untouched(&self) -> Elements {
        self.memory.iter().map(|buffer| vec![Visits::default(); buffer.len()]).collect()
    }

    fn hosts(&mut self, hosts: &'p [Host], decide: &mut dyn FnMut(&Launch<'_, '_>) -> bool) -> Result<(), Stop> {
        for host in hosts {
            self.burn()?;
            match host {
                Host::Loop(par_loop) => self.par(par_loop, decide)?,
                Host::Let(value, expr) => {
                    self.values[value.0] = self.value(expr)?;
                    self.known.push(*value);
                }
                Host::Split { view, at, low, high, mutable: _ } => {
                    let Window { buffer, start, len } = self.views[view.0];
                    let at = usize::try_from(self.value(at)?).ok().filter(|at| *at <= len).ok_or(Stop::Panic)?;
                    self.views[low.0] = Window { buffer, start, len: at };
                    self.views[high.0] = Window { buffer, start: start + at, len: len - at };
                    self.known.extend([*low, *high]);
                }
                Host::Scratch(view, len) => {
                    let len = usize::try_from(self.value(len)?).map_err(|_| Stop::Panic)?;
                    self.views[view.0] = Window { buffer: self.memory.len(), start: 0, len };
                    self.known.push(*view);
                    self.memory.push(vec![0; len]);
                    self.run.most.push(0);
                    self.forks.iter_mut().for_each(|(_, elements)| elements.push(vec![Visits::default(); len]));
                }
                Host::For(value, count, body) => {
                    self.known.push(*value);
                    let given = self.given.iter().find(|(name, _)| name == self.program.name(*value));
                    if given.is_some_and(|(_, number)| !(0..i128::from(*count)).contains(number)) {
                        continue;
                    }
                    for at in 0..*count {
                        self.values[value.0] = i128::from(at);
                        self.hosts(body, decide)?;
                    }
                }
                Host::If(cond, body) => {
                    if self.holds(cond)? || !self.given.is_empty() {
                        self.hosts(body, decide)?;
                    }
                }
                Host::Groups(groups) => {
                    self.forks.push((0, self.untouched()));
                    let mut result = Ok(());
                    for (at, group) in groups.iter().enumerate() {
                        if let Some((current, _)) = self.forks.last_mut() {
                            *current = at;
                        }
                        result = self.hosts(group, decide);
                        if result.is_err() {
                            break;
                        }
                    }
                    let met = self.forks.pop().and_then(|(_, elements)| conflict(&elements));
                    self.run.groups = self.run.groups.or(met);
                    result?;
                }
                Host::Reduction(_) | Host::Pass(_) => unreachable!("kernels for the machine have none"),
            }
        }
        Ok(())
    }

    fn axis(&mut self, Range { start, end, inclusive, adaptors }: &'p Range) -> Result<Axis, Stop> {
        let (start, end) = (self.value(start)?, self.value(end)?);
        let step = match adaptors.as_slice() {
            [] => 1,
            [Adaptor::StepBy(step)] => self.value(step)?,
            _ => unreachable!("`par` takes a step, and nothing else"),
        };
        let count = (end - start + i128::from(*inclusive)).max(0);
        // A step of 0 is an error of the launch.
        let step = Some(step).filter(|step| *step > 0).ok_or(Stop::ZeroStep)?;
        // Nobody waits for more iterations than 64 bits count.
        let trips = u64::try_from((count + step - 1) / step).map_err(|_| Stop::Endless)?;
        Ok(Axis { lo: start, step, trips })
    }

    /// Gives variables their numbers, if they can have them.
    fn assume(&mut self) -> bool {
        // The first number of a name counts.
        self.given.iter().rev().all(|(name, number)| {
            let of_view = name.strip_suffix(".len()");
            let Some(var) = named(self.program, &self.known, of_view.unwrap_or(name), of_view.is_some()) else {
                return true;
            };
            if of_view.is_none() {
                self.values[var] = *number;
                return self.program.vars[var].ty.scalar().is_some_and(|ty| ty.wrap(*number) == *number);
            }
            let Window { buffer, start, len } = &mut self.views[var];
            *len = *number as usize;
            let (buffer, end) = (*buffer, *start + *len);
            let is_scratch = buffer >= self.program.buffers().count();
            let memory = &mut self.memory[buffer];
            memory.extend((memory.len()..end).map(|at| if is_scratch { 0 } else { content(buffer, at) }));
            let len = memory.len();
            self.forks.iter_mut().for_each(|(_, elements)| elements[buffer].resize(len, Visits::default()));
            true
        })
    }

    fn par(&mut self, par_loop: &'p Loop, decide: &mut dyn FnMut(&Launch<'_, '_>) -> bool) -> Result<(), Stop> {
        if !self.assume() {
            return Ok(());
        }
        let axes = par_loop.dims.iter().map(|dim| self.axis(&dim.range)).collect::<Result<Vec<_>, _>>()?;
        if axes.iter().map(|axis| axis.trips as f64).product::<f64>() > FUEL as f64 {
            return Err(Stop::Endless);
        }
        self.watched.set(None);
        let goes = decide(&Launch { par_loop, axes: &axes, machine: self });
        self.elements = self.untouched();
        self.iteration = 0;
        // One of them may be empty, whatever the others are.
        let empty = axes.iter().any(|axis| axis.trips == 0);
        self.device = true;
        let result = if empty { Ok(()) } else { self.nest(par_loop, &axes, 0) };
        self.device = false;
        let mut outcome = std::mem::take(&mut self.outcome);
        outcome.conflict = conflict(&self.elements);
        self.run.loops.push((par_loop.number, outcome));
        result?;
        if goes { Ok(()) } else { Err(Stop::Refused) }
    }

    fn nest(&mut self, par_loop: &'p Loop, axes: &[Axis], at: usize) -> Result<(), Stop> {
        let Some(axis) = axes.get(at) else { return self.iterate(par_loop) };
        for trip in 0..axis.trips {
            // All values are of the variable's type.
            self.values[par_loop.dims[at].var.0] = axis.lo + axis.step * i128::from(trip);
            self.nest(par_loop, axes, at + 1)?;
        }
        Ok(())
    }

    fn is_watched(&self) -> bool {
        self.watched.get().is_some_and(|watched| watched.contains(&self.iteration))
    }

    fn iterate(&mut self, par_loop: &'p Loop) -> Result<(), Stop> {
        let variable = |Dim { var, .. }: &Dim| Scalar::U32.wrap(self.values[var.0]) as u32;
        let variables = par_loop.dims.iter().map(variable);
        self.seen = variables.reduce(|sum, variable| sum.wrapping_mul(7).wrapping_add(variable)).unwrap_or(0);
        self.trusted = 0;
        let end = self.block(&par_loop.body).map(drop);
        self.outcome.broken |= self.is_watched() && !matches!(end, Ok(()) | Err(Stop::Continue | Stop::Break));
        match end {
            Ok(()) | Err(Stop::Continue | Stop::Break) => {}
            Err(Stop::Panic | Stop::Refused | Stop::ZeroStep) => self.outcome.panicked = true,
            Err(Stop::Outside(place, index)) => self.outcome.outside.push((place, index)),
            Err(Stop::Endless) => return Err(Stop::Endless),
        }
        self.iteration += 1;
        Ok(())
    }
}
