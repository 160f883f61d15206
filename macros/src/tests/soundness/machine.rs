//! Runs programs as Rust does in a release build, iteration by iteration, and looks at every element that is touched. It
//! shares nothing with the analyses that it judges.

use super::program::{
    Adaptor, Cond, Dim, Expr, Host, Loop, Method, Numbers, Op, Part, Place, Program, Stmt, Ty, Writing,
};

/// Statements and iterations that a launch may take.
const FUEL: usize = 40_000;

/// What one run of a `par` loop did.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Two iterations touched one element, and one of them wrote it.
    pub(super) conflict: Option<Conflict>,
    /// Accesses of elements that were out of bounds: the place and the index.
    pub(super) outside: Vec<(usize, i128)>,
    /// An iteration ended early for another reason.
    pub(super) panicked: bool,
}

impl Outcome {
    pub(super) fn has_failed(&self) -> bool {
        self.panicked || !self.outside.is_empty()
    }
}

/// An element that two iterations, or two groups, touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Conflict {
    pub(super) buffer: usize,
    pub(super) element: usize,
    pub(super) first: usize,
    pub(super) second: usize,
}

/// The values of a loop variable: `lo + step * t` for all `t < trips`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) lo: i128,
    pub(super) step: i128,
    pub(super) trips: u64,
}

/// What all of a launch did.
#[derive(Debug)]
pub(super) struct Run {
    /// Every run of a loop, in order, with what the launch had said to it.
    pub(super) loops: Vec<(usize, Outcome)>,
    /// Two groups that touched one element, one of them writing.
    pub(super) groups: Option<Conflict>,
    /// Arithmetic of the host part has wrapped, which is a panic in a debug build.
    pub(super) wrapped: bool,
    /// The largest element that was asked for, by buffers.
    pub(super) most: Vec<usize>,
    pub(super) end: End,
    /// The buffers at the end.
    pub(super) memory: Vec<Vec<u32>>,
}

/// How a launch ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
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
pub(super) struct Launch<'m, 'p> {
    pub(super) looped: &'p Loop,
    pub(super) axes: &'m [Axis],
    machine: &'m Machine<'p>,
}

impl Launch<'_, '_> {
    /// A host value by its name.
    pub(super) fn value(&self, name: &str) -> Option<i128> {
        let Machine { program, values, .. } = self.machine;
        let at = program.values.iter().rposition(|(other, _)| *other == name)?;
        Some(values[at])
    }

    /// The length of a view by its name.
    pub(super) fn len(&self, name: &str) -> Option<usize> {
        let Machine { program, views, .. } = self.machine;
        program.views.iter().rposition(|other| *other == name).map(|view| views[view].len)
    }
}

/// Why an iteration, or the launch, ends.
enum Stop {
    Continue,
    Break,
    Panic,
    Outside(usize, i128),
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
    values: Vec<i128>,
    views: Vec<Window>,
    memory: Vec<Vec<u32>>,
    locals: Vec<i128>,
    arrays: Vec<Vec<i128>>,
    acc: u32,
    fuel: usize,
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
}

/// Launches a program. `decide` is asked before every loop whether it may run.
pub(super) fn run(program: &Program, numbers: &Numbers, decide: &mut dyn FnMut(&Launch<'_, '_>) -> bool) -> Run {
    let memory: Vec<Vec<u32>> =
        numbers.lens.iter().enumerate().map(|(at, len)| (0..*len).map(|k| content(at, k)).collect()).collect();
    let mut values = numbers.values.clone();
    values.resize(program.values.len(), 0);
    let mut views = vec![Window::default(); program.views.len()];
    for (buffer, len) in numbers.lens.iter().enumerate() {
        views[buffer] = Window { buffer, start: 0, len: *len };
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
        values,
        views,
        elements: Elements::new(),
        memory,
        locals: vec![0; program.locals.len()],
        arrays: vec![Vec::new(); program.locals.len()],
        acc: 0,
        fuel: FUEL,
        device: false,
        trusted: 0,
        iteration: 0,
        forks: Vec::new(),
        outcome: Outcome::default(),
        run,
    };
    let end = machine.hosts(&program.host, decide);
    let end = match end {
        Ok(()) => End::Ran,
        Err(Stop::Endless) => End::Endless,
        Err(Stop::Refused) => End::Refused,
        Err(Stop::ZeroStep) => End::ZeroStep,
        Err(Stop::Continue | Stop::Break | Stop::Panic | Stop::Outside(..)) => End::HostPanicked,
    };
    Run { end, memory: machine.memory, ..machine.run }
}

/// What is in a buffer before the launch: small numbers, and some that are not.
pub(super) fn content(buffer: usize, element: usize) -> u32 {
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
                Host::Loop(looped) => self.par(looped, decide)?,
                Host::Let(value, expr) => self.values[*value] = self.value(expr)?,
                Host::Split { view, at, low, high } => {
                    let Window { buffer, start, len } = self.views[*view];
                    let at = usize::try_from(self.value(at)?).ok().filter(|at| *at <= len).ok_or(Stop::Panic)?;
                    self.views[*low] = Window { buffer, start, len: at };
                    self.views[*high] = Window { buffer, start: start + at, len: len - at };
                }
                Host::For(value, count, body) => {
                    for at in 0..*count {
                        self.values[*value] = i128::from(at);
                        self.hosts(body, decide)?;
                    }
                }
                Host::If(cond, body) => {
                    if self.cond(cond)? {
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
            }
        }
        Ok(())
    }

    fn axis(&mut self, dim: &'p Dim) -> Result<Axis, Stop> {
        let (start, end) = (self.value(&dim.start)?, self.value(&dim.end)?);
        let step = dim.step.as_ref().map_or(Ok(1), |step| self.value(step))?;
        let count = (end - start + i128::from(dim.inclusive)).max(0);
        // A step of 0 is an error of the launch.
        let step = Some(step).filter(|step| *step > 0).ok_or(Stop::ZeroStep)?;
        // Nobody waits for more iterations than 64 bits count.
        let trips = u64::try_from((count + step - 1) / step).map_err(|_| Stop::Endless)?;
        Ok(Axis { lo: start, step, trips })
    }

    fn par(&mut self, looped: &'p Loop, decide: &mut dyn FnMut(&Launch<'_, '_>) -> bool) -> Result<(), Stop> {
        let axes = looped.dims.iter().map(|dim| self.axis(dim)).collect::<Result<Vec<_>, _>>()?;
        if axes.iter().map(|axis| axis.trips as f64).product::<f64>() > FUEL as f64 {
            return Err(Stop::Endless);
        }
        let goes = decide(&Launch { looped, axes: &axes, machine: self });
        self.elements = self.untouched();
        self.iteration = 0;
        // One of them may be empty, whatever the others are.
        let empty = axes.iter().any(|axis| axis.trips == 0);
        self.device = true;
        let result = if empty { Ok(()) } else { self.nest(looped, &axes, 0) };
        self.device = false;
        let mut outcome = std::mem::take(&mut self.outcome);
        outcome.conflict = conflict(&self.elements);
        self.run.loops.push((looped.number, outcome));
        result?;
        if goes { Ok(()) } else { Err(Stop::Refused) }
    }

    fn nest(&mut self, looped: &'p Loop, axes: &[Axis], at: usize) -> Result<(), Stop> {
        let Some(axis) = axes.get(at) else { return self.iterate(looped) };
        for trip in 0..axis.trips {
            // All values are of the variable's type.
            self.locals[looped.dims[at].var] = axis.lo + axis.step * i128::from(trip);
            self.nest(looped, axes, at + 1)?;
        }
        Ok(())
    }

    fn iterate(&mut self, looped: &'p Loop) -> Result<(), Stop> {
        let variables = looped.dims.iter().map(|dim| Ty::U32.wrap(self.locals[dim.var]) as u32);
        self.acc = variables.reduce(|sum, variable| sum.wrapping_mul(7).wrapping_add(variable)).unwrap_or(0);
        self.trusted = 0;
        match self.stmts(&looped.body) {
            Ok(()) | Err(Stop::Continue | Stop::Break) => {}
            Err(Stop::Panic | Stop::Refused | Stop::ZeroStep) => self.outcome.panicked = true,
            Err(Stop::Outside(place, index)) => self.outcome.outside.push((place, index)),
            Err(Stop::Endless) => return Err(Stop::Endless),
        }
        self.iteration += 1;
        Ok(())
    }

    fn burn(&mut self) -> Result<(), Stop> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Endless)?;
        Ok(())
    }

    fn stmts(&mut self, stmts: &'p [Stmt]) -> Result<(), Stop> {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &'p Stmt) -> Result<(), Stop> {
        self.burn()?;
        match stmt {
            Stmt::Let(local, expr) | Stmt::Assign(local, expr) => self.locals[*local] = self.value(expr)?,
            Stmt::Tuple(parts) => {
                let values = parts.iter().map(|(_, expr)| self.value(expr)).collect::<Result<Vec<_>, _>>()?;
                parts.iter().zip(values).for_each(|((local, _), value)| self.locals[*local] = value);
            }
            Stmt::Bool(local, cond) => self.locals[*local] = i128::from(self.cond(cond)?),
            Stmt::Array(local, values) => {
                self.arrays[*local] = values.iter().map(|expr| self.value(expr)).collect::<Result<Vec<_>, _>>()?;
            }
            Stmt::Read(place, _) => {
                let element = self.load(place)?;
                self.acc = self.acc.wrapping_mul(31).wrapping_add(element);
            }
            Stmt::Write(place, writing) => {
                let (buffer, element) = self.element(place)?;
                self.touch(buffer, element, true);
                let at = &mut self.memory[buffer][element];
                *at = if *writing == Writing::Add { at.wrapping_add(self.acc) } else { self.acc };
            }
            Stmt::Sum(part) => {
                let (buffer, range) = self.part(part)?;
                let mut sum = 0u32;
                for element in range {
                    self.touch(buffer, element, false);
                    sum = sum.wrapping_mul(31).wrapping_add(self.memory[buffer][element]);
                }
                self.acc = self.acc.wrapping_add(sum);
            }
            Stmt::Put(part) => {
                let (buffer, range) = self.part(part)?;
                for (k, element) in range.enumerate() {
                    self.touch(buffer, element, true);
                    self.memory[buffer][element] = self.acc.wrapping_add(k as u32);
                }
            }
            Stmt::If(cond, then, otherwise) => {
                let way = if self.cond(cond)? { then } else { otherwise };
                self.stmts(way)?;
            }
            Stmt::For { var, start, end, inclusive, adaptors, body } => {
                let (mut first, end) = (self.value(start)?, self.value(end)? + i128::from(*inclusive));
                let (mut count, mut stride) = ((end - first).max(0), 1);
                for adaptor in adaptors {
                    match adaptor {
                        Adaptor::Rev => (first, stride) = (first + stride * (count - 1), -stride),
                        Adaptor::StepBy(step) => {
                            let step = Some(self.value(step)?).filter(|step| *step > 0).ok_or(Stop::Panic)?;
                            (count, stride) = ((count + step - 1) / step, stride * step);
                        }
                    }
                }
                for trip in 0..count {
                    self.burn()?;
                    self.locals[*var] = first + stride * trip;
                    match self.stmts(body) {
                        Err(Stop::Break) => break,
                        Err(Stop::Continue) => {}
                        other => other?,
                    }
                }
            }
            Stmt::While(cond, local, body) => {
                while self.cond(cond)? {
                    self.burn()?;
                    match self.stmts(body) {
                        Err(Stop::Break) => break,
                        other => other?,
                    }
                    self.locals[*local] = self.program.locals[*local].ty.wrap(self.locals[*local] + 1);
                }
            }
            Stmt::Match(value, arms) => {
                let value = usize::try_from(self.value(value)?).unwrap_or(usize::MAX);
                self.stmts(&arms[value.min(arms.len() - 1)])?;
            }
            Stmt::Continue => return Err(Stop::Continue),
            Stmt::Break => return Err(Stop::Break),
            Stmt::Assert(cond) => {
                if !self.cond(cond)? {
                    return Err(Stop::Panic);
                }
            }
            Stmt::Unsafe(body) => {
                self.trusted += 1;
                let result = self.stmts(body);
                self.trusted -= 1;
                result?;
            }
            Stmt::Block(body) => self.stmts(body)?,
        }
        Ok(())
    }

    /// Where a place is; outside of its view the iteration ends.
    fn element(&mut self, place: &'p Place) -> Result<(usize, usize), Stop> {
        let index = self.value(&place.index)?;
        let Window { buffer, start, len } = self.views[place.view];
        match usize::try_from(index) {
            Ok(element) if element < len => Ok((buffer, start + element)),
            _ => Err(Stop::Outside(place.id, index)),
        }
    }

    fn load(&mut self, place: &'p Place) -> Result<u32, Stop> {
        let (buffer, element) = self.element(place)?;
        self.touch(buffer, element, false);
        Ok(self.memory[buffer][element])
    }

    fn part(&mut self, part: &'p Part) -> Result<(usize, std::ops::Range<usize>), Stop> {
        let Window { buffer, start: first, len } = self.views[part.view];
        let start = part.start.as_ref().map_or(Ok(0), |start| self.value(start))?;
        let end = match &part.end {
            Some(end) => self.value(end)? + i128::from(part.inclusive),
            None => len as i128,
        };
        if start > end || end > len as i128 {
            return Err(Stop::Panic);
        }
        Ok((buffer, first + start as usize..first + end as usize))
    }

    fn touch(&mut self, buffer: usize, element: usize, write: bool) {
        if self.trusted == 0 {
            self.elements[buffer][element].add(self.iteration, write);
        }
        for (group, elements) in &mut self.forks {
            elements[buffer][element].add(*group, write);
        }
        self.run.most[buffer] = self.run.most[buffer].max(element + 1);
    }

    fn cond(&mut self, cond: &'p Cond) -> Result<bool, Stop> {
        Ok(match cond {
            Cond::Compare(op, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                match *op {
                    "<" => a < b,
                    "<=" => a <= b,
                    ">" => a > b,
                    ">=" => a >= b,
                    "==" => a == b,
                    _ => a != b,
                }
            }
            Cond::And(a, b) => self.cond(a)? && self.cond(b)?,
            Cond::Or(a, b) => self.cond(a)? || self.cond(b)?,
            Cond::Not(a) => !self.cond(a)?,
            Cond::Var(local) => self.locals[*local] != 0,
        })
    }

    fn value(&mut self, expr: &'p Expr) -> Result<i128, Stop> {
        Ok(match expr {
            Expr::Lit(value, _) => *value,
            Expr::Var(local) => self.locals[*local],
            Expr::Value(value) => self.values[*value],
            Expr::Len(view) => self.views[*view].len as i128,
            Expr::ArrayLen(local) => self.arrays[*local].len() as i128,
            Expr::Element(local, index) => {
                let index = usize::try_from(self.value(index)?).unwrap_or(usize::MAX);
                *self.arrays[*local].get(index).ok_or(Stop::Panic)?
            }
            Expr::Bin(op, ty, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                let exact = match op {
                    Op::Add => Some(a + b),
                    Op::Sub => Some(a - b),
                    Op::Mul => a.checked_mul(b),
                    _ => Some(0),
                };
                self.run.wrapped |= !self.device && exact.is_none_or(|exact| exact != ty.wrap(exact));
                match op {
                    Op::Add => ty.wrap(a + b),
                    Op::Sub => ty.wrap(a - b),
                    Op::Mul => ty.wrap(a.wrapping_mul(b)),
                    Op::Div | Op::Rem if b == 0 || ty.signed() && a == ty.min() && b == -1 => return Err(Stop::Panic),
                    Op::Div => a / b,
                    Op::Rem => a % b,
                    Op::And => a & b,
                    Op::Or => a | b,
                    Op::Xor => a ^ b,
                }
            }
            Expr::Shift { left, ty, value, by } => {
                let (value, by) = (self.value(value)?, self.value(by)?.rem_euclid(i128::from(ty.bits())));
                if *left { ty.wrap(value << by) } else { value >> by }
            }
            Expr::Neg(ty, a) => ty.wrap(-self.value(a)?),
            Expr::Call(method, ty, args) => {
                let args = args.iter().map(|arg| self.value(arg)).collect::<Result<Vec<_>, _>>()?;
                call(*method, *ty, &args)?
            }
            Expr::Cast(a, ty) => ty.wrap(self.value(a)?),
            Expr::If(cond, a, b) => {
                let way = if self.cond(cond)? { a } else { b };
                self.value(way)?
            }
            Expr::With(local, a, b) => {
                self.locals[*local] = self.value(a)?;
                self.value(b)?
            }
            Expr::Load(place) => i128::from(self.load(place)?),
        })
    }
}

fn call(method: Method, ty: Ty, args: &[i128]) -> Result<i128, Stop> {
    let (a, b) = (args[0], args[1]);
    Ok(match method {
        Method::Min => a.min(b),
        Method::Max => a.max(b),
        Method::Clamp if b > args[2] => return Err(Stop::Panic),
        Method::Clamp => a.clamp(b, args[2]),
        Method::SaturatingSub => (a - b).clamp(ty.min(), ty.max()),
        Method::SaturatingAdd => (a + b).clamp(ty.min(), ty.max()),
        Method::WrappingAdd => ty.wrap(a + b),
        Method::WrappingSub => ty.wrap(a - b),
        Method::WrappingMul => ty.wrap(a.wrapping_mul(b)),
        Method::AbsDiff => (a - b).abs(),
        Method::RemEuclid | Method::DivEuclid if b == 0 || ty.signed() && a == ty.min() && b == -1 => {
            return Err(Stop::Panic);
        }
        Method::RemEuclid => a.rem_euclid(b),
        Method::DivEuclid => a.div_euclid(b),
    })
}
