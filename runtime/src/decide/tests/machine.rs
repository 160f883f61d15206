//! Runs programs as a machine does, iteration by iteration, and looks at every element that is touched.

use std::collections::BTreeMap;

use super::super::{Comparison, Operation};
use super::program::{Cond, Expr, Program, Stmt, ty};

/// What happened.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// An access was out of bounds.
    pub(super) outside: bool,
    /// An iteration ended early.
    pub(super) panicked: bool,
    /// Two iterations touched one element, and one of them wrote it.
    pub(super) conflict: bool,
    /// There was an access in bounds.
    pub(super) touched: bool,
    /// It went on for too long, and was stopped.
    pub(super) endless: bool,
}

/// An iteration ends.
struct Panic;

/// Nobody waits for more statements than this.
const STATEMENTS: usize = 10_000;

/// Iterations that read, and that write, an element: the first, and whether there are others.
#[derive(Default)]
struct Visits {
    by: Option<usize>,
    others: bool,
    written: bool,
}

struct Machine<'a> {
    program: &'a Program,
    atoms: Vec<i128>,
    iteration: usize,
    left: usize,
    elements: BTreeMap<(usize, i128), Visits>,
    outcome: Outcome,
    /// Where numbers of which nothing is known come from.
    unknown: u64,
}

pub(super) fn run(program: &Program) -> Outcome {
    let mut atoms = vec![0; program.atoms];
    atoms[program.axes.len()..][..program.symbols.len()].copy_from_slice(&program.symbols);
    let mut machine = Machine {
        program,
        atoms,
        iteration: 0,
        left: STATEMENTS,
        elements: BTreeMap::new(),
        outcome: Outcome::default(),
        unknown: 1,
    };
    machine.nest(0);
    machine.outcome.conflict = machine.elements.values().any(|visits| visits.others && visits.written);
    machine.outcome.touched = !machine.elements.is_empty();
    machine.outcome.endless = machine.left == 0;
    machine.outcome
}

fn wrap(value: i128, slot: usize) -> i128 {
    let ty = ty(slot).expect("a type of integers");
    let rest = value.rem_euclid(1 << ty.bits);
    if ty.signed && rest >= 1 << (ty.bits - 1) { rest - (1 << ty.bits) } else { rest }
}

impl Machine<'_> {
    fn nest(&mut self, axis: usize) {
        let Some(range) = self.program.axes.get(axis).copied() else {
            let ended = self.stmts(&self.program.body);
            self.outcome.panicked |= ended.is_err() && self.left > 0;
            self.iteration += 1;
            return;
        };
        for trip in 0..range.trips {
            self.atoms[axis] = range.lo + range.step * i128::from(trip);
            self.nest(axis + 1);
        }
    }

    fn value(&self, expr: &Expr) -> i128 {
        match expr {
            Expr::Lit(value, _) => i128::from(*value),
            Expr::Var(atom, _) => self.atoms[*atom],
            Expr::As(value, to) => wrap(self.value(value), *to),
            Expr::Bin(sign, a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                let exact = match sign {
                    '+' => a + b,
                    '-' => a - b,
                    // What 64 bits and another 64 bits hold; the rest wraps away.
                    _ => wrap(a, expr.ty()).wrapping_mul(wrap(b, expr.ty())),
                };
                wrap(exact, expr.ty())
            }
        }
    }

    fn holds(&self, Cond(lhs, comparison, rhs): &Cond) -> bool {
        let (lhs, rhs) = (self.value(lhs), self.value(rhs));
        match comparison {
            Comparison::Less => lhs < rhs,
            Comparison::LessOrEqual => lhs <= rhs,
            Comparison::Equal => lhs == rhs,
            Comparison::NotEqual => lhs != rhs,
        }
    }

    fn stmts(&mut self, stmts: &[Stmt]) -> Result<(), Panic> {
        for stmt in stmts {
            self.left = self.left.saturating_sub(1);
            if self.left == 0 {
                return Err(Panic);
            }
            match stmt {
                Stmt::Let { var, operation, operands, ty } => {
                    let operands: Vec<i128> = operands.iter().map(|operand| self.value(operand)).collect();
                    self.atoms[*var] = self.operation(*operation, &operands, *ty)?;
                }
                Stmt::Choose { var, condition, then, other, .. } => {
                    self.atoms[*var] = self.value(if self.holds(condition) { then } else { other });
                }
                Stmt::For { var, start, end, inclusive, step, body, .. } => {
                    let (mut at, end) = (self.value(start), self.value(end) + i128::from(*inclusive));
                    let step = step.as_ref().map_or(1, |step| self.value(step));
                    if step == 0 {
                        return Err(Panic);
                    }
                    while at < end && self.left > 0 {
                        self.left -= 1;
                        self.atoms[*var] = at;
                        self.stmts(body)?;
                        at += step;
                    }
                }
                Stmt::When { conditions, body } => {
                    if conditions.iter().all(|condition| self.holds(condition)) {
                        self.stmts(body)?;
                    }
                }
                Stmt::Access { buffer, index, end, write } => {
                    let first = self.value(index);
                    let past = end.as_ref().map_or(first + 1, |end| self.value(end));
                    let len = self.atoms[self.program.buffers[*buffer]];
                    if first > past || past > len {
                        self.outcome.outside = true;
                        return Err(Panic);
                    }
                    for element in first..past {
                        let visits = self.elements.entry((*buffer, element)).or_default();
                        visits.others |= visits.by.is_some_and(|by| by != self.iteration);
                        visits.by = Some(self.iteration);
                        visits.written |= *write;
                    }
                }
            }
        }
        Ok(())
    }

    fn operation(&mut self, operation: Operation, operands: &[i128], slot: usize) -> Result<i128, Panic> {
        let of = ty(slot).expect("a type of integers");
        let number = |at: usize| operands.get(at).copied().unwrap_or(0);
        let (a, b) = (number(0), number(1));
        let most = if of.signed { (1 << (of.bits - 1)) - 1 } else { (1 << of.bits) - 1 };
        let least = if of.signed { -most - 1 } else { 0 };
        Ok(match operation {
            Operation::Any => {
                // Small numbers, mostly, and now and then any.
                self.unknown =
                    self.unknown.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let number = i128::from(self.unknown >> 33);
                wrap(if number % 4 > 0 { number / 4 % 9 } else { number * number }, slot)
            }
            Operation::Mul => wrap(a.wrapping_mul(b), slot),
            Operation::Div | Operation::Rem | Operation::RemEuclid if b == 0 || a == least && b == -1 => {
                return Err(Panic);
            }
            Operation::Div => a / b,
            Operation::Rem => a % b,
            Operation::RemEuclid => a.rem_euclid(b),
            Operation::And => a & b,
            Operation::Shr => a >> b.rem_euclid(i128::from(of.bits)),
            Operation::Min => a.min(b),
            Operation::Max => a.max(b),
            Operation::Clamp if b > number(2) => return Err(Panic),
            Operation::Clamp => a.clamp(b, number(2)),
            Operation::SaturatingSub => (a - b).clamp(least, most),
            Operation::SaturatingAdd => (a + b).clamp(least, most),
            Operation::AbsDiff => (a - b).abs(),
        })
    }
}
