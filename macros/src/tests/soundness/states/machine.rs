//! What a random program does in one launch: which iterations of a phase touch which elements.

use std::collections::{BTreeMap, BTreeSet};

use super::program::{C, E, Kind, Program, S, SHAPES, Touch, Ty, Way};

/// Rounds and iterations, after which a run is given up.
const FUEL: usize = 5_000;

/// A run with a longer phase is given up: it has too many pairs of iterations.
const MOST_ITERATIONS: u64 = 64;

/// Two iterations of a phase at one element: phase, array, element, both iterations, and whether
/// the second one writes. The first one does.
pub(super) type Meeting = (usize, usize, Vec<u64>, u64, u64, bool);

/// An array and indexes.
type Element = (usize, Vec<u64>);

pub(super) struct Launch {
    pub(super) m: u64,
    pub(super) data: bool,
    /// What fails ends its iteration; or else it goes on, as on some devices.
    pub(super) ends: bool,
}

#[derive(Default)]
pub(super) struct Run {
    pub(super) meetings: BTreeSet<Meeting>,
    /// Something has failed, or the run was given up.
    pub(super) failed: bool,
    pub(super) given_up: bool,
    pub(super) reached: BTreeSet<usize>,
}

/// Why control leaves a statement.
enum Leave {
    Break(usize),
    Continue(usize),
    /// A check has failed, or the fuel is used up.
    Ended,
}

struct Machine<'p> {
    program: &'p Program,
    launch: &'p Launch,
    vars: Vec<u64>,
    fuel: usize,
    run: Run,
    /// The phase and the iteration, with what has been touched.
    iteration: Option<u64>,
    touched: BTreeMap<Element, BTreeSet<(u64, bool)>>,
}

pub(super) fn run(program: &Program, launch: &Launch) -> Run {
    let vars = vec![0; program.vars.len()];
    let (run, touched) = (Run::default(), BTreeMap::new());
    let mut machine = Machine { program, launch, vars, fuel: FUEL, run, iteration: None, touched };
    let _ = machine.all(&program.body);
    machine.run
}

fn wrapped(ty: Ty, value: u64) -> u64 {
    match ty {
        Ty::Usize => value,
        Ty::U32 => u64::from(value as u32),
        Ty::U8 => u64::from(value as u8),
    }
}

impl Machine<'_> {
    fn burn(&mut self) -> Result<(), Leave> {
        match self.fuel.checked_sub(1) {
            Some(fuel) => self.fuel = fuel,
            None => {
                (self.run.failed, self.run.given_up) = (true, true);
                return Err(Leave::Ended);
            }
        }
        Ok(())
    }

    fn fails(&mut self) -> Result<(), Leave> {
        self.run.failed = true;
        if self.launch.ends { Err(Leave::Ended) } else { Ok(()) }
    }

    fn e(&mut self, e: &E) -> Result<u64, Leave> {
        let value = match &e.kind {
            Kind::Lit(value) => *value,
            Kind::Var(var) => self.vars[*var],
            Kind::Launch => self.launch.m,
            Kind::Op(op, lhs, rhs) => {
                let (lhs, rhs) = (self.e(lhs)?, self.e(rhs)?);
                self.op(op, e.ty, lhs, rhs)?
            }
            Kind::Cast(of) => self.e(of)?,
            Kind::Set(var, value, then) => {
                self.vars[*var] = self.e(value)?;
                self.e(then)?
            }
            Kind::If(cond, a, b) => {
                if self.c(cond)? {
                    self.e(a)?
                } else {
                    self.e(b)?
                }
            }
            Kind::Pick(a, b, by) => {
                let (a, b) = (self.e(a)?, self.e(b)?);
                if self.e(by)?.is_multiple_of(2) { a } else { b }
            }
        };
        Ok(wrapped(e.ty, value))
    }

    fn op(&mut self, op: &str, ty: Ty, lhs: u64, rhs: u64) -> Result<u64, Leave> {
        if matches!(op, "/" | "%") && rhs == 0 {
            self.fails()?;
            // Nobody knows what it is then.
            return Ok(lhs);
        }
        Ok(wrapped(
            ty,
            match op {
                "+" => lhs.wrapping_add(rhs),
                "-" => lhs.wrapping_sub(rhs),
                "*" => lhs.wrapping_mul(rhs),
                "/" => lhs / rhs,
                "%" => lhs % rhs,
                "&" => lhs & rhs,
                "|" => lhs | rhs,
                "^" => lhs ^ rhs,
                "<<" => lhs << (rhs % u64::from(ty.bits())),
                ">>" => lhs >> (rhs % u64::from(ty.bits())),
                _ => unreachable!("there is no `{op}`"),
            },
        ))
    }

    fn c(&mut self, c: &C) -> Result<bool, Leave> {
        Ok(match c {
            C::Compare(op, lhs, rhs) => {
                let (lhs, rhs) = (self.e(lhs)?, self.e(rhs)?);
                match *op {
                    "<" => lhs < rhs,
                    "==" => lhs == rhs,
                    "!=" => lhs != rhs,
                    ">=" => lhs >= rhs,
                    _ => lhs <= rhs,
                }
            }
            C::Data => self.launch.data,
            C::Logic(and, lhs, rhs) => {
                let lhs = self.c(lhs)?;
                if lhs == *and { self.c(rhs)? } else { lhs }
            }
            C::Not(of) => !self.c(of)?,
            C::Set(var, value, of) => {
                self.vars[*var] = self.e(value)?;
                self.c(of)?
            }
        })
    }

    fn all(&mut self, body: &[S]) -> Result<(), Leave> {
        body.iter().try_for_each(|s| self.s(s))
    }

    /// A round of a loop: whether another one follows.
    fn round(&mut self, body: &[S]) -> Result<bool, Leave> {
        self.burn()?;
        match self.all(body) {
            Ok(()) | Err(Leave::Continue(0)) => Ok(true),
            Err(Leave::Break(0)) => Ok(false),
            Err(Leave::Break(depth)) => Err(Leave::Break(depth - 1)),
            Err(Leave::Continue(depth)) => Err(Leave::Continue(depth - 1)),
            Err(Leave::Ended) => Err(Leave::Ended),
        }
    }

    fn s(&mut self, s: &S) -> Result<(), Leave> {
        match s {
            S::Let(var, value) => self.vars[*var] = self.e(value)?,
            S::Assign(var, op, value, _) => {
                let value = self.e(value)?;
                self.vars[*var] = match op {
                    Some(op) => self.op(op, self.program.vars[*var].ty, self.vars[*var], value)?,
                    None => value,
                };
            }
            S::If(cond, then, otherwise, _) => {
                let way = if self.c(cond)? { then } else { otherwise };
                self.all(way)?;
            }
            S::For { var, start, end, inclusive, rev, step, body } => {
                let (start, end) = (self.e(start)?, self.e(end)?);
                let end = if *inclusive { end.saturating_add(1) } else { end };
                let (mut at, mut values) = (0, start..end);
                loop {
                    let value = if *rev { values.next_back() } else { values.next() };
                    let Some(value) = value else { break };
                    self.burn()?;
                    let skip = at % step.unwrap_or(1) != 0;
                    at += 1;
                    if !skip {
                        self.vars[*var] = value;
                        if !self.round(body)? {
                            break;
                        }
                    }
                }
            }
            S::While(cond, body) => while self.c(cond)? && self.round(body)? {},
            S::Labelled(body) => {
                self.round(body)?;
            }
            S::Jump(depth, true) => return Err(Leave::Continue(*depth)),
            S::Jump(depth, false) => return Err(Leave::Break(*depth)),
            S::Assert(_, true) => {}
            S::Assert(cond, false) => {
                if !self.c(cond)? {
                    self.fails()?;
                }
            }
            S::Access { array, touch, index, way } => {
                let index = index.iter().map(|index| self.e(index)).collect::<Result<Vec<u64>, _>>()?;
                if index.iter().zip(SHAPES[*array]).any(|(index, len)| index >= len) {
                    return self.fails();
                }
                if let Some(iteration) = self.iteration.filter(|_| *way != Way::Unsafe) {
                    let touches = self.touched.entry((*array, index)).or_default();
                    touches.insert((iteration, *touch != Touch::Read));
                }
            }
            S::Phase { number, start, end, body } => {
                self.run.reached.insert(*number);
                let (start, end) = (self.e(start)?, self.e(end)?);
                if end.saturating_sub(start) > MOST_ITERATIONS {
                    self.fuel = 0;
                }
                for at in start..end {
                    self.burn()?;
                    // Its first variable is that of the phase.
                    self.iteration = Some(at);
                    self.vars[self.program.ts[*number]] = at;
                    let left = self.all(body);
                    self.iteration = None;
                    if let Err(Leave::Ended) = left
                        && self.run.given_up
                    {
                        return Err(Leave::Ended);
                    }
                }
                for ((array, element), touches) in std::mem::take(&mut self.touched) {
                    for (one, _) in touches.iter().filter(|(_, write)| *write) {
                        for (other, write) in touches.iter().filter(|(other, _)| other != one) {
                            let met = (*number, array, element.clone(), *one, *other, *write);
                            self.run.meetings.insert(met);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
