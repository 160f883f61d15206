//! What the threads of a warp touch at once of shared arrays. A plan counts by it how many of them wait for each other at a bank.
//!
//! An index is a number that is made of the place of an iteration, and of numbers that all threads have in common whenever they make the access: rounds of
//! loops, and whatever has no variable of the phase in it. Of the latter nothing is known. What else a thread computes has no number.
//!
//! An index is a `usize`, and so is all that it is made of without a conversion (`analysis::barriers::numbers`). A conversion has a number only where it is
//! one of the variable of a range.
//!
//! Nothing but plans depends on this.

use std::collections::{BTreeMap, BTreeSet};

use anabranch_core::banks::Op;
use proc_macro2::Span;

use crate::ir::{
    Access, Adaptor, BinOp, Block, Body, Borrow, CaptureKind, CompareOp, Expr, ExprKind, Flow, LocalId, LocalKind,
    LoopRange, ParLoop, Part, Pat, PatKind, Phase, Shape, Space, Stmt,
};
use crate::names::spelled;

/// Empty if it is unknown.
pub(crate) type Number = Vec<Op>;

/// What a phase does to shared arrays.
pub(crate) struct Touches {
    /// The number of its iterations along each dimension.
    pub(crate) counts: Vec<Number>,
    /// The numbers that threads have in common: from 0, so many. Empty: any number.
    pub(crate) common: Vec<Number>,
    /// The accesses.
    pub(crate) touches: Vec<Touch>,
}

/// An access.
pub(crate) struct Touch {
    pub(crate) array: LocalId,
    pub(crate) span: Span,
    pub(crate) text: String,
    pub(crate) write: bool,
    /// From the array to the part that is touched; `None` if something is done with a reference.
    pub(crate) path: Option<Vec<Step>>,
    /// What is not 0 where a thread makes it, as far as that is known.
    pub(crate) conditions: Vec<Number>,
}

/// A step from a value to a part of it.
#[derive(Clone)]
pub(crate) enum Step {
    Element(Number),
    Field(String),
}

/// The phases of a loop over blocks, in source order.
pub(crate) fn of(par_loop: &ParLoop) -> Vec<Touches> {
    let mut walk = Walk {
        body: &par_loop.body,
        numbers: BTreeMap::new(),
        variables: BTreeSet::new(),
        lent: BTreeMap::new(),
        common: Vec::new(),
        conditions: Vec::new(),
        first: None,
        touches: Vec::new(),
        phases: Vec::new(),
    };
    if par_loop.shape.is_some() {
        walk.block(&par_loop.body.block);
    }
    walk.phases
}

/// A part of a shared array: the array, the way to the part if that is known, and the text.
type Place = (LocalId, Option<Vec<Step>>, String);

struct Walk<'b> {
    body: &'b Body,
    /// What variables are that never change.
    numbers: BTreeMap<LocalId, Number>,
    /// Those of ranges.
    variables: BTreeSet<LocalId>,
    /// What references refer to.
    lent: BTreeMap<LocalId, Place>,
    common: Vec<Number>,
    conditions: Vec<Number>,
    /// In a phase, its first variable. Those with smaller numbers are the block's.
    first: Option<LocalId>,
    touches: Vec<Touch>,
    phases: Vec<Touches>,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pat, init, otherwise, .. } => {
                    self.bind(pat, init);
                    otherwise.iter().for_each(|otherwise| self.block(otherwise));
                }
                Stmt::Expr(expr) => self.expr(expr),
                Stmt::Declare { .. } | Stmt::Item(_) => {}
            }
        }
        block.value.iter().for_each(|value| self.expr(value));
    }

    fn bind(&mut self, pat: &Pat, init: &Expr) {
        if let (Some(local), ExprKind::Reference { place, borrow: _ }) = (pat.name(), &init.kind) {
            if let Some(of) = self.place(place) {
                self.lent.insert(local, of);
            }
            return;
        }
        self.expr(init);
        self.name(pat, init);
    }

    /// The numbers that variables are.
    fn name(&mut self, pat: &Pat, init: &Expr) {
        match (&pat.kind, &init.kind) {
            (PatKind::Bind { local, sub: None }, _) => {
                let number = self.number(init, self.first.is_some());
                self.set(*local, number);
            }
            (PatKind::Tuple(list), ExprKind::Tuple { elems, .. }) if list.back.is_none() => {
                list.front.iter().zip(elems).for_each(|(pat, init)| self.name(pat, init));
            }
            _ => {}
        }
    }

    fn set(&mut self, local: LocalId, number: Number) {
        let declared = &self.body[local];
        let fixed = !declared.mutable && declared.kind == LocalKind::Value && declared.space == Space::Own;
        if fixed && !number.is_empty() {
            self.numbers.insert(local, number);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Assign { place, value } | ExprKind::AssignOp { place, value, .. } => {
                self.expr(value);
                self.touch(place, true);
            }
            ExprKind::Local(_) | ExprKind::Element { .. } | ExprKind::Field { .. } | ExprKind::Deref(_) => {
                self.touch(expr, false);
            }
            ExprKind::Atomic { op, cell, args, .. }
                if let ExprKind::Reference { place, .. } = &cell.kind
                    && self.body.is_of_atomics(place) =>
            {
                self.touch(place, op.name != "load");
                args.iter().for_each(|arg| self.expr(arg));
            }
            ExprKind::Reference { place, borrow } => {
                if let Some((array, _, text)) = self.place(place) {
                    self.made(expr.span, (array, None, text), *borrow != Borrow::Shared);
                }
            }
            // A function does with a reference what it likes.
            ExprKind::Call { args, .. } | ExprKind::CallLocal { args, .. } => {
                for arg in args {
                    match &arg.kind {
                        ExprKind::Local(local) if let Some((array, _, text)) = self.lent.get(local).cloned() => {
                            self.made(arg.span, (array, None, text), false);
                        }
                        _ => self.expr(arg),
                    }
                }
            }
            // It touches nothing.
            ExprKind::Length { base, .. } => drop(self.place(base)),
            ExprKind::Logic { and: true, lhs, rhs } => {
                self.expr(lhs);
                self.where_holds(lhs, true, |this| this.expr(rhs));
            }
            ExprKind::Flow { flow, .. } => self.flow(flow),
            _ => self.parts(expr.parts()),
        }
    }

    fn parts(&mut self, parts: Vec<Part<'_>>) {
        for part in parts {
            match part {
                Part::Expr(expr) => self.expr(expr),
                Part::Block(block) => self.block(block),
            }
        }
    }

    fn touch(&mut self, place: &Expr, write: bool) {
        if let Some(of) = self.place(place) {
            self.made(place.span, of, write);
        }
    }

    fn made(&mut self, span: Span, (array, path, text): Place, write: bool) {
        if self.first.is_some() {
            let conditions = self.conditions.clone();
            self.touches.push(Touch { array, span, text, write, path, conditions });
        }
    }

    /// What a place is a part of, if that is shared. What is evaluated on the way, is walked.
    fn place(&mut self, place: &Expr) -> Option<Place> {
        let (mut base, mut path, mut text, mut whole) = (place, Vec::new(), None, true);
        loop {
            base = match &base.kind {
                ExprKind::Element { base: inner, index, site, .. } => {
                    self.expr(index);
                    path.push(Step::Element(self.number(index, self.first.is_some())));
                    text = text.or(Some(&self.body[*site].text));
                    inner
                }
                ExprKind::Field { base: inner, member } => {
                    path.push(Step::Field(spelled(member)));
                    inner
                }
                ExprKind::Deref(inner) => inner,
                // What begins where the array does, has the same indexes.
                ExprKind::Range { base: inner, start, end, .. } => {
                    start.iter().chain(end).for_each(|end| self.expr(end));
                    whole &= start.is_none();
                    inner
                }
                _ => break,
            }
        }
        path.reverse();
        let ExprKind::Local(local) = base.kind else {
            self.parts(base.parts());
            return None;
        };
        let declared = &self.body[local];
        let (array, before, of) = match self.lent.get(&local) {
            None if declared.space == Space::Shared => (local, Some(Vec::new()), declared.name.to_string()),
            None => return None,
            Some(lent) => lent.clone(),
        };
        let path = before.filter(|_| whole).map(|before| [before, path].concat());
        Some((array, path, text.filter(|text| !text.is_empty()).cloned().unwrap_or(of)))
    }

    fn flow(&mut self, flow: &Flow) {
        if let Flow::Phase { phase, body } = flow {
            return self.phase(phase, body);
        }
        match flow.shape() {
            Shape::If { cond, then, otherwise } => {
                self.expr(cond);
                self.where_holds(cond, true, |this| this.block(then));
                if let Some(otherwise) = otherwise {
                    self.where_holds(cond, false, |this| this.expr(otherwise));
                }
            }
            Shape::Counted { var, range, body } => {
                range.operands().into_iter().for_each(|end| self.expr(end));
                let known = self.common.len();
                self.count(var, range);
                self.block(body);
                if self.first.is_none() {
                    self.common.truncate(known);
                }
            }
            shape => self.parts(shape.parts()),
        }
    }

    /// What is evaluated only where a condition holds, or only where it does not.
    fn where_holds(&mut self, cond: &Expr, holds: bool, inside: impl FnOnce(&mut Self)) {
        let known = self.conditions.len();
        self.suppose(cond, holds);
        inside(self);
        self.conditions.truncate(known);
    }

    fn suppose(&mut self, cond: &Expr, holds: bool) {
        match &cond.kind {
            ExprKind::Logic { and, lhs, rhs } if *and == holds => {
                self.suppose(lhs, holds);
                self.suppose(rhs, holds);
            }
            ExprKind::Compare { op, lhs, rhs, .. } => {
                let number = self.joined(lhs, rhs, Op::Compare(*op), false);
                if !number.is_empty() {
                    let not = [Op::Int(0), Op::Compare(CompareOp::Eq)];
                    self.conditions.push(if holds { number } else { [&number[..], &not].concat() });
                }
            }
            _ => {}
        }
    }

    /// The variable of a loop: in each round, all threads have the same number of rounds behind them.
    fn count(&mut self, var: LocalId, range: &LoopRange) {
        let any = self.first.is_some();
        let (start, end) = (self.number(&range.start, any), self.number(&range.end, any));
        let binary = |lhs: &[Op], rhs: &[Op], op| [lhs, rhs, &[Op::Binary(op)]].concat();
        let one = [Op::Int(1)];
        let end = match range.inclusive && !end.is_empty() {
            true => binary(&end, &one, BinOp::Add),
            false => end,
        };
        let (step, back) = match range.adaptors.as_slice() {
            [] => (one.to_vec(), false),
            [Adaptor::Rev] => (one.to_vec(), true),
            [Adaptor::StepBy { step, .. }] => (self.number(step, any), false),
            _ => (Number::new(), false),
        };
        let round = [Op::Common(self.common.len() as u32)];
        let trips = match start.is_empty() || end.is_empty() || step.is_empty() {
            true => Number::new(),
            false => {
                let last = binary(&binary(&end, &start, BinOp::Sub), &one, BinOp::Sub);
                binary(&binary(&last, &step, BinOp::Div), &one, BinOp::Add)
            }
        };
        let value = match back {
            true if !end.is_empty() => binary(&binary(&end, &one, BinOp::Sub), &round, BinOp::Sub),
            false if !start.is_empty() && !step.is_empty() => {
                binary(&start, &binary(&round, &step, BinOp::Mul), BinOp::Add)
            }
            _ => Number::new(),
        };
        self.common.push(trips);
        self.set(var, value);
        self.variables.insert(var);
    }

    fn phase(&mut self, phase: &Phase, body: &Block) {
        let Some((Stmt::Expr(nest), before)) = body.stmts.split_last() else { return };
        for stmt in before {
            if let Stmt::Let { pat, init, .. } = stmt {
                self.bind(pat, init);
            }
        }
        let (known, mut counts, mut inner) = (self.common.len(), Vec::new(), nest);
        self.first = phase.vars.first().copied();
        for (at, var) in phase.vars.iter().enumerate() {
            let ExprKind::Flow { flow: Flow::For { range, body, .. }, .. } = &inner.kind else { break };
            let place = Op::Place(at as u32);
            let start = self.number(&range.start, true);
            counts.push(self.joined(&range.end, &range.start, Op::Binary(BinOp::Sub), false));
            self.set(*var, [&start[..], &[place, Op::Binary(BinOp::Add)]].concat());
            self.variables.insert(*var);
            match body.stmts.first() {
                Some(Stmt::Expr(next)) if at + 1 < phase.vars.len() => inner = next,
                _ => self.block(body),
            }
        }
        self.first = None;
        let common = self.common.clone();
        self.common.truncate(known);
        self.phases.push(Touches { counts, common, touches: std::mem::take(&mut self.touches) });
    }

    /// The number that an expression is. What is the same for all threads may be `any`.
    fn number(&mut self, expr: &Expr, any: bool) -> Number {
        if any && self.is_common(expr) {
            let known = self.number(expr, false);
            if !known.is_empty() {
                return known;
            }
            self.common.push(Number::new());
            return vec![Op::Common(self.common.len() as u32 - 1)];
        }
        match &expr.kind {
            ExprKind::Int { digits, .. } => digits.parse().map(Op::Int).into_iter().collect(),
            ExprKind::Constant { slot, .. } => vec![Op::Constant(slot.number())],
            ExprKind::Local(local) => self.numbers.get(local).cloned().unwrap_or_default(),
            ExprKind::Binary { op, lhs, rhs, .. } => {
                let number = self.joined(lhs, rhs, Op::Binary(*op), any);
                // The number to shift by has a type of its own, in which a sum may wrap.
                let shifts = matches!(op, BinOp::Shl | BinOp::Shr);
                let is_plain = matches!(rhs.kind, ExprKind::Int { .. } | ExprKind::Constant { .. })
                    || matches!(rhs.kind, ExprKind::Local(local) if self.variables.contains(&local));
                if shifts && !is_plain { Number::new() } else { number }
            }
            ExprKind::Cast { operand, slot, .. } if self.is_variable(operand) => {
                let mut number = self.number(operand, any);
                number.extend((!number.is_empty()).then_some(Op::Cast(slot.number())));
                number
            }
            _ => Number::new(),
        }
    }

    fn joined(&mut self, lhs: &Expr, rhs: &Expr, op: Op, any: bool) -> Number {
        let (lhs, rhs) = (self.number(lhs, any), self.number(rhs, any));
        if lhs.is_empty() || rhs.is_empty() { Number::new() } else { [lhs, rhs, vec![op]].concat() }
    }

    /// Whether it is the variable of a range, maybe converted.
    fn is_variable(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Local(local) => self.variables.contains(local),
            ExprKind::Cast { operand, .. } => self.is_variable(operand),
            _ => false,
        }
    }

    /// Whether an expression of a phase has the same value for all threads. An element that it reads is one that no iteration writes.
    fn is_common(&self, expr: &Expr) -> bool {
        let Some(first) = self.first else { return true };
        let is_place = |op: &Op| matches!(op, Op::Place(_));
        !expr.any(&mut |expr| match &expr.kind {
            ExprKind::Local(local) | ExprKind::CallLocal { local, .. } => {
                *local >= first && self.numbers.get(local).is_none_or(|number| number.iter().any(is_place))
            }
            ExprKind::Own { .. } | ExprKind::Atomic { .. } => true,
            ExprKind::View { view } => matches!(self.body[*view].kind, CaptureKind::View(_, Access::Atomic)),
            ExprKind::Reference { borrow: Borrow::Atomic, .. } => true,
            _ => false,
        })
    }
}
