//! The program of a block: from a state, through an expression or a statement, to the states after
//! it.

use std::collections::{BTreeMap, BTreeSet};

use super::flow::Jumps;
use super::phase::{Meeting, Touched};
use super::types::Types;
use super::values::{State, Value};
use crate::ir::{Block, Body, Borrow, ElementOf, Expr, ExprId, ExprKind, LocalId, Part, Pat, PatKind, Space, Stmt};

/// More expressions are not evaluated.
const MOST_STEPS: usize = 1 << 18;

/// There were too many.
pub(super) struct Spent;
pub(super) type Ran<T> = Result<T, Spent>;
/// Where an expression can lead to, and what it is there.
pub(super) type Paths = Vec<(State, Option<Value>)>;

/// What was found in the phases of a block.
#[derive(Default)]
pub(crate) struct Tried {
    /// All states were explored.
    complete: bool,
    /// The phases that were run in some state.
    pub(super) phases: BTreeSet<ExprId>,
    /// Arrays that are not shown to be apart in a phase.
    pub(super) undecided: BTreeSet<(ExprId, LocalId)>,
    pub(super) meetings: BTreeMap<(ExprId, LocalId), Meeting>,
}

impl Tried {
    /// Whether the iterations of a phase are apart in an array.
    pub(crate) fn are_apart(&self, phase: ExprId, array: LocalId) -> bool {
        self.complete && self.phases.contains(&phase) && !self.undecided.contains(&(phase, array))
    }

    /// Two iterations that meet, once.
    pub(crate) fn meeting(&mut self, phase: ExprId, array: LocalId) -> Option<Meeting> {
        self.meetings.remove(&(phase, array))
    }
}

/// Runs the program of a block in all ways.
pub(crate) fn of(body: &Body) -> Tried {
    let mut walk = Walk {
        body,
        types: Types::of(body),
        aliased: aliased(body),
        left: MOST_STEPS,
        jumps: Jumps::default(),
        answered: 0,
        touched: None,
        seen: BTreeSet::new(),
        tried: Tried::default(),
    };
    let ran = walk.block(&body.block, State { values: BTreeMap::new(), certain: true });
    Tried { complete: ran.is_ok(), ..walk.tried }
}

/// The variables that something else than an assignment to their names may change: what has a
/// reference to them, a method, or a closure when it is called.
fn aliased(body: &Body) -> BTreeSet<LocalId> {
    let mut all = BTreeSet::new();
    body.block.any(&mut |expr| {
        match &expr.kind {
            ExprKind::Reference { borrow: Borrow::Unique | Borrow::Atomic, place }
            | ExprKind::Receiver { place, .. } => {
                all.extend(place.root());
            }
            ExprKind::Closure { body, .. } => all.extend(body.parts().into_iter().flat_map(Part::assigned)),
            _ => {}
        }
        false
    });
    all.retain(|local| body[*local].mutable || body[*local].late);
    all
}

pub(super) struct Walk<'b> {
    pub(super) body: &'b Body,
    pub(super) types: Types<'b>,
    aliased: BTreeSet<LocalId>,
    /// Steps that are left.
    left: usize,
    pub(super) jumps: Jumps,
    /// Number of `unsafe` blocks around.
    pub(super) answered: usize,
    /// In a phase: what its iterations touch.
    pub(super) touched: Option<Touched<'b>>,
    /// Phases in the states in which they have been tried.
    pub(super) seen: BTreeSet<(ExprId, State)>,
    pub(super) tried: Tried,
}

/// Each path once.
pub(super) fn distinct<T: Ord>(mut paths: Vec<T>) -> Vec<T> {
    paths.sort_unstable();
    paths.dedup();
    paths
}

impl<'b> Walk<'b> {
    pub(super) fn step(&mut self) -> Ran<()> {
        self.left = self.left.checked_sub(1).ok_or(Spent)?;
        Ok(())
    }

    /// The statements and the value of a block. Its variables end with it.
    pub(super) fn block(&mut self, block: &'b Block, state: State) -> Ran<Paths> {
        let mut states = vec![state];
        for stmt in &block.stmts {
            let mut next = Vec::new();
            for state in states {
                next.extend(self.stmt(stmt, state)?);
            }
            states = distinct(next);
        }
        let mut paths = Vec::new();
        for state in states {
            match &block.value {
                Some(value) => paths.extend(self.expr(value, state)?),
                None => paths.push((state, None)),
            }
        }
        for stmt in &block.stmts {
            if let Stmt::Let { pat, .. } = stmt {
                let locals = pat.locals();
                paths.iter_mut().for_each(|(state, _)| forget(state, locals.iter()));
            }
        }
        Ok(distinct(paths))
    }

    pub(super) fn stmt(&mut self, stmt: &'b Stmt, state: State) -> Ran<Vec<State>> {
        match stmt {
            Stmt::Let { pat, init, otherwise, ty: _ } => {
                let (pats, inits): (Vec<&Pat>, Vec<&Expr>) = match (&pat.kind, &init.kind) {
                    (PatKind::Tuple(list), ExprKind::Tuple { elems, .. })
                        if list.back.is_none() && list.front.len() == elems.len() =>
                    {
                        (list.front.iter().collect(), elems.iter().collect())
                    }
                    _ => (vec![pat], vec![init]),
                };
                let mut states = Vec::new();
                // `let _ = p[0];` reads nothing.
                let state = if let PatKind::Wild = pat.kind { state.unsure() } else { state };
                for (mut state, values) in self.operands(&inits, state)? {
                    if let Some(otherwise) = otherwise {
                        state = state.unsure();
                        self.block(otherwise, state.clone())?;
                    }
                    pats.iter().zip(values).for_each(|(pat, value)| match pat.name() {
                        Some(local) => self.set(&mut state, local, value),
                        None => forget(&mut state, pat.locals().iter()),
                    });
                    states.push(state);
                }
                Ok(states)
            }
            Stmt::Declare { local, .. } => {
                let mut state = state;
                forget(&mut state, [local]);
                Ok(vec![state])
            }
            Stmt::Expr(expr) => Ok(self.expr(expr, state)?.into_iter().map(|(state, _)| state).collect()),
            Stmt::Item(_) => Ok(vec![state]),
        }
    }

    /// A variable gets a value, which is known only if nothing else can change the variable.
    pub(super) fn set(&self, state: &mut State, local: LocalId, value: Option<Value>) {
        let is_own = self.types.is_value(local) && !self.aliased.contains(&local);
        match value.filter(|_| is_own) {
            Some(value) => drop(state.values.insert(local, value)),
            None => drop(state.values.remove(&local)),
        }
    }

    /// Expressions one after the other, with their values.
    pub(super) fn operands(&mut self, exprs: &[&'b Expr], state: State) -> Ran<Vec<(State, Vec<Option<Value>>)>> {
        let mut paths = vec![(state, Vec::new())];
        for expr in exprs {
            let mut next = Vec::new();
            for (state, values) in paths {
                for (state, value) in self.expr(expr, state)? {
                    let mut values = values.clone();
                    values.push(value);
                    next.push((state, values));
                }
            }
            paths = next;
        }
        Ok(paths)
    }

    pub(super) fn expr(&mut self, expr: &'b Expr, state: State) -> Ran<Paths> {
        self.step()?;
        if self.types.is_plain(expr) {
            let value = self.types.value(expr, &state);
            let fails = value.is_none() && self.types.fails(expr, &state);
            return Ok(vec![(if fails { state.unsure() } else { state }, value)]);
        }
        let states = match &expr.kind {
            ExprKind::Assign { place, value, op } => {
                let mut states = Vec::new();
                for (state, value) in self.expr(value, state)? {
                    for mut state in self.access(place, true, state)? {
                        match (&place.kind, op) {
                            (ExprKind::Local(local), None) => self.set(&mut state, *local, value),
                            (ExprKind::Local(local), Some(op)) => {
                                let old = state.values.get(local).copied();
                                let new = old.zip(value).and_then(|(a, b)| self.types.operation(op.op, place, a, b));
                                state.certain &= new.is_some() || old.is_none() || value.is_none();
                                self.set(&mut state, *local, new);
                            }
                            _ => forget(&mut state, place.root().iter()),
                        }
                        states.push(state);
                    }
                }
                states
            }
            ExprKind::Reference { borrow, place } => self.access(place, *borrow != Borrow::Shared, state)?,
            ExprKind::Receiver { place, lent, .. } => self.access(place, !lent, state)?,
            // A length touches nothing.
            ExprKind::Measure { base, .. } if matches!(base.kind, ExprKind::Local(_)) => vec![state],
            ExprKind::Measure { .. } => self.parts(expr, state.unsure())?,
            ExprKind::Local(_) | ExprKind::Element { .. } | ExprKind::Field { .. } => {
                self.access(expr, false, state)?
            }
            // It may run at any time, with other values.
            ExprKind::Closure { .. } => {
                self.hide(expr);
                vec![state]
            }
            ExprKind::Binary { op, lhs, rhs, .. } => {
                let paths = self.operands(&[lhs, rhs], state)?.into_iter().map(|(mut state, values)| {
                    let known = values[0].zip(values[1]);
                    let value = known.and_then(|(lhs, rhs)| self.types.operation(*op, expr, lhs, rhs));
                    state.certain &= value.is_some() || known.is_none();
                    (state, value)
                });
                return Ok(paths.collect());
            }
            ExprKind::Logic { and, lhs, rhs } => return self.logic(*and, lhs, rhs, state),
            ExprKind::Assert { cond, check } => {
                // Without a check, nobody knows whether it is evaluated.
                let skipped = check.is_none().then(|| state.clone().unsure());
                let paths = self.expr(cond, state)?.into_iter().map(|(state, value)| match value {
                    Some(Value::Bool(true)) if check.is_some() => state,
                    _ => state.unsure(),
                });
                paths.chain(skipped).collect()
            }
            ExprKind::Panic { .. } => self.parts(expr, state.unsure())?,
            ExprKind::Flow { flow, .. } => return self.flow(expr, flow, state),
            _ => self.parts(expr, state)?,
        };
        Ok(states.into_iter().map(|state| (state, None)).collect())
    }

    /// The operands of what is not understood. Of a block in it nobody knows when it runs.
    fn parts(&mut self, expr: &'b Expr, mut state: State) -> Ran<Vec<State>> {
        let mut exprs = Vec::new();
        for part in expr.parts() {
            match part {
                Part::Expr(expr) => exprs.push(expr),
                Part::Block(_) => {
                    self.hide(expr);
                    forget(&mut state, &part.assigned());
                    state.certain = false;
                }
            }
        }
        Ok(self.operands(&exprs, state)?.into_iter().map(|(state, _)| state).collect())
    }

    fn logic(&mut self, and: bool, lhs: &'b Expr, rhs: &'b Expr, state: State) -> Ran<Paths> {
        let mut paths = Vec::new();
        for (state, value) in self.expr(lhs, state)? {
            match value {
                Some(Value::Bool(value)) if value != and => paths.push((state, Some(Value::Bool(value)))),
                Some(_) => paths.extend(self.expr(rhs, state)?),
                None => {
                    let state = state.unsure();
                    paths.extend(self.expr(rhs, state.clone())?.into_iter().map(|(state, _)| (state, None)));
                    paths.push((state, None));
                }
            }
        }
        Ok(distinct(paths))
    }

    /// A place that is read or written.
    fn access(&mut self, place: &'b Expr, write: bool, state: State) -> Ran<Vec<State>> {
        let (mut base, mut indexes, mut part) = (place, Vec::new(), false);
        loop {
            match &base.kind {
                ExprKind::Element { base: inner, index, of: ElementOf::Value(_), .. } => {
                    indexes.push(&**index);
                    base = inner;
                }
                ExprKind::Field { base: inner, .. } => (base, part) = (inner, true),
                _ => break,
            }
        }
        let ExprKind::Local(local) = base.kind else {
            // A range of an element, for one. Of a buffer there is nothing to record.
            if !matches!(base.kind, ExprKind::Index { .. }) {
                self.hide(place);
            }
            return self.parts(place, state);
        };
        indexes.reverse();
        let is_shared = self.body[local].space == Space::Shared;
        let mut states = Vec::new();
        for (mut state, values) in self.operands(&indexes, state)? {
            if is_shared {
                self.touch(local, &values, (write, part), place, &mut state);
            }
            states.push(state);
        }
        Ok(states)
    }
}

pub(super) fn forget<'l>(state: &mut State, locals: impl IntoIterator<Item = &'l LocalId>) {
    locals.into_iter().for_each(|local| _ = state.values.remove(local));
}
