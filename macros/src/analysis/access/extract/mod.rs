//! From a body to its facts.

mod accesses;
mod calls;
mod compared;
mod flow;
mod host;
mod limits;
mod loops;
mod members;
mod phases;
mod rows;
mod running;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use anabranch_core::facts::Member;

use super::conditions::{Guards, Holds, Truth};
use super::quotients::Division;
use super::{Atom, Condition, Form, InnerLoop, LoopFacts, MOST_NARROW, Operation, Step};
use crate::ir::jumps::diverges;
use crate::ir::{
    AssignOp, BinOp, Block, Body, Borrow, CaptureId, CaptureKind, DeviceFn, ElementOf, Expr, ExprKind, Flow, List,
    LocalId, LocalKind, Measure, ParLoop, Part, PatKind, Shape, SlotId, Space, Stmt, UnOp,
};
use crate::names::extent;
use members::Portion;
pub(super) use phases::PhaseFacts;
use phases::is_new;
use running::Running;

/// Checks of a block whose conditions are known after them: each is a branch around all that comes after it.
const MOST_CHECKS: usize = 64;

/// The facts of a loop.
pub(crate) fn of(par_loop: &ParLoop) -> LoopFacts {
    let mut walk = Extractor::new(&par_loop.body, Vec::new());
    walk.counters = par_loop.dims.iter().map(|dim| dim.var).collect();
    for (at, dim) in par_loop.dims.iter().enumerate() {
        walk.locals.insert(dim.var, Form::atom(Atom::Var(at)));
        walk.facts.info.plain.insert(dim.var);
        let range = walk.range(dim);
        walk.facts.ranges.push(range);
    }
    walk.blocks = par_loop.dims.len();
    walk.of_blocks = par_loop.shape.is_some();
    walk.threads = i64::from(par_loop.block);
    if walk.of_blocks {
        walk.small = rows::never_grow(&par_loop.body, &walk.followed);
    }
    walk.block(&par_loop.body.block);
    walk.strides();
    let Extractor { facts, steps, phases, .. } = walk;
    let counters = facts.symbols.known(&par_loop.counters);
    LoopFacts { steps, phases, counters, ..facts }
}

/// The facts of a device function, and what it returns, if something is known of that. Its parameters are the captures of a loop.
pub(crate) fn of_function(function: &DeviceFn) -> (LoopFacts, Option<Form>) {
    let params: Vec<LocalId> = function.params.iter().map(|(local, _)| *local).collect();
    let mut walk = Extractor::new(&function.body, params.clone());
    for (at, local) in params.into_iter().enumerate() {
        let of = &function.body[local];
        if of.kind == LocalKind::Value && !of.mutable && !of.loose {
            // Two names of one spelling may be two parameters.
            let atom = walk.facts.symbols.capture(&format!("{at} {}", of.name), CaptureId(at));
            walk.locals.insert(local, Form::atom(atom));
            walk.facts.info.plain.insert(local);
        }
    }
    let result = walk.block(&function.body.block);
    let Extractor { facts, steps, left, .. } = walk;
    // What an earlier `return` returns, nobody knows.
    (LoopFacts { steps, ..facts }, result.filter(|_| !left))
}

impl<'b> Extractor<'b> {
    fn new(body: &'b Body, params: Vec<LocalId>) -> Self {
        Extractor {
            body,
            params,
            facts: LoopFacts::default(),
            locals: BTreeMap::new(),
            counters: BTreeSet::new(),
            inits: BTreeMap::new(),
            made: BTreeSet::new(),
            portions: BTreeMap::new(),
            followed: running::followed(body),
            divisions: Vec::new(),
            lists: BTreeMap::new(),
            arrays: BTreeMap::new(),
            truths: BTreeMap::new(),
            steps: Vec::new(),
            loops: Vec::new(),
            conditions: Vec::new(),
            limited: BTreeSet::new(),
            guards: Some(Vec::new()),
            lost: false,
            failed: false,
            part: false,
            sometimes: 0,
            unsafe_depth: 0,
            left: false,
            blocks: 0,
            of_blocks: false,
            threads: 0,
            shared: BTreeMap::new(),
            small: BTreeSet::new(),
            compared: BTreeSet::new(),
            in_phase: false,
            ends: BTreeSet::new(),
            phases: Vec::new(),
        }
    }
}

pub(super) struct Extractor<'b> {
    body: &'b Body,
    /// Of a device function: what its accesses are of.
    params: Vec<LocalId>,
    pub(super) facts: LoopFacts,
    /// Values of variables: of those that are mutable, at this place.
    pub(super) locals: BTreeMap<LocalId, Form>,
    /// The mutable ones among them.
    followed: BTreeSet<LocalId>,
    /// Those of them that count loops.
    counters: BTreeSet<LocalId>,
    /// What immutable variables were bound to.
    pub(super) inits: BTreeMap<LocalId, &'b Expr>,
    /// The immutable variables whose numbers were made for them: no other variable has them in another type.
    made: BTreeSet<LocalId>,
    /// Immutable variables that are parts of host values or constants.
    portions: BTreeMap<LocalId, Portion>,
    /// Quotients and remainders.
    pub(super) divisions: Vec<Division>,
    /// What immutable arrays and tuples are made of, such as indexes of grids.
    pub(super) lists: BTreeMap<LocalId, Vec<Option<Form>>>,
    /// Lengths of arrays in variables.
    arrays: BTreeMap<LocalId, i64>,
    /// What follows from immutable variables of type `bool`.
    pub(super) truths: BTreeMap<LocalId, Truth>,
    /// The steps of the innermost loop or branch.
    steps: Vec<Step>,
    loops: Vec<InnerLoop>,
    conditions: Vec<Condition>,
    /// Of [`Atom::Other`], those that a launch can limit.
    limited: BTreeSet<Atom>,
    /// What else decides whether this place is reached.
    guards: Guards,
    /// So do jumps that no condition tells of.
    lost: bool,
    /// So do checks that no condition tells of: an iteration that fails one has ended.
    failed: bool,
    /// Of the next place, only a part is touched.
    part: bool,
    /// Number of branches around.
    sometimes: usize,
    /// Number of `unsafe` blocks around.
    unsafe_depth: usize,
    /// Some iterations may have ended before.
    left: bool,
    /// Number of the indexes of a block.
    blocks: usize,
    /// It is the walk of a loop over blocks.
    of_blocks: bool,
    /// The threads of a block.
    threads: i64,
    /// The arrays that the threads of a block share, with their dimensions.
    shared: BTreeMap<LocalId, usize>,
    /// The variables of a block's program that begin at a literal and never grow.
    small: BTreeSet<LocalId>,
    /// Comparisons of one of them with a variable as it is, by slots.
    pub(super) compared: BTreeSet<usize>,
    /// The walk is of a phase by itself.
    in_phase: bool,
    /// The ends of the phase's ranges, which are computed right before it.
    ends: BTreeSet<LocalId>,
    phases: Vec<PhaseFacts>,
}

/// A branch around the current place, with what was known before it.
struct Branch {
    conditions: Vec<Condition>,
    always: bool,
    outer: Vec<Step>,
    guards: Guards,
    known: usize,
    limited: BTreeSet<Atom>,
    first: Atom,
    running: Running,
    /// It begins with a check, which ends the iteration if it fails.
    check: bool,
}

impl<'b> Extractor<'b> {
    fn fresh(&mut self) -> Atom {
        self.facts.others += 1;
        Atom::Other(self.facts.others - 1)
    }

    /// Whether some iterations have ended now, or left a loop.
    pub(super) fn leave(&mut self, leaves: bool) {
        self.left |= leaves;
        self.lost |= leaves;
    }

    /// The contents of a branch, with the conditions that hold there.
    pub(super) fn branch<T>(&mut self, holds: Holds, always: bool, inside: impl FnOnce(&mut Self) -> T) -> T {
        let branch = self.enter(holds, always);
        let value = inside(self);
        self.exit(branch);
        value
    }

    fn enter(&mut self, holds: Holds, always: bool) -> Branch {
        let Holds { conditions, guards } = holds;
        let branch = Branch {
            conditions,
            always,
            outer: std::mem::take(&mut self.steps),
            guards: self.guards.clone(),
            known: self.conditions.len(),
            limited: self.limited.clone(),
            first: Atom::Other(self.facts.others),
            running: self.running(),
            check: false,
        };
        self.guards = self.guards.take().zip(guards).map(|(outer, inner)| [outer, inner].concat());
        self.conditions.extend(branch.conditions.iter().cloned());
        self.limit(&branch.conditions);
        self.sometimes += usize::from(!always);
        branch
    }

    fn exit(&mut self, branch: Branch) {
        let Branch { conditions, always, outer, guards, known, limited, first, running, check: _ } = branch;
        self.meet(&running);
        self.sometimes -= usize::from(!always);
        // What it has made stays as it is: `&&` hands conditions on.
        self.limited.retain(|atom| *atom >= first || limited.contains(atom));
        self.conditions.truncate(known);
        self.guards = guards;
        let body = std::mem::replace(&mut self.steps, outer);
        self.steps.push(Step::When { conditions, body });
    }

    fn block(&mut self, block: &'b Block) -> Option<Form> {
        self.statements(&block.stmts, block.value.as_deref())
    }

    fn statements(&mut self, stmts: &'b [Stmt], value: Option<&'b Expr>) -> Option<Form> {
        // What comes after a check is in a branch in which it holds.
        let mut branches = Vec::new();
        for stmt in stmts {
            branches.extend(self.statement(stmt, branches.len() < MOST_CHECKS));
        }
        let value = value.and_then(|value| self.expr(value));
        // After the block, nothing tells which iterations have left it.
        self.lost |= !branches.is_empty();
        self.failed |= branches.iter().any(|branch| branch.check);
        branches.into_iter().rev().for_each(|branch| self.exit(branch));
        value
    }

    /// Walks a statement; the branch that what comes after it is in, if it begins one and may.
    fn statement(&mut self, stmt: &'b Stmt, may_branch: bool) -> Option<Branch> {
        match stmt {
            Stmt::Let { pat, init, otherwise, ty: _ } => {
                let (truth, known) = (self.truth_of(init), self.facts.others);
                if let Some(portion) = self.portion(init) {
                    self.follow(pat, &portion);
                }
                let mut parts = None;
                let form = match (&truth, &init.kind) {
                    (Some(_), _) => None,
                    (None, ExprKind::Tuple { elems, .. } | ExprKind::Array { elems, .. }) => {
                        parts = Some(elems.iter().map(|elem| self.expr(elem)).collect::<Vec<_>>());
                        None
                    }
                    (None, _) => self.expr(init),
                };
                if let Some(local) = pat.name().filter(|local| self.body[*local].space == Space::Shared) {
                    self.share(local, init);
                }
                if let Some(local) = pat.name().filter(|local| !self.body[*local].mutable) {
                    self.inits.insert(local, init);
                }
                if let (Some(local), Some(len)) = (pat.name(), self.array_len(init)) {
                    self.arrays.insert(local, len);
                }
                if let Some(otherwise) = otherwise {
                    self.branch(Holds::default(), false, |this| this.block(otherwise));
                    self.leave(true);
                }
                if let (
                    PatKind::Tuple(List { front, back: None }) | PatKind::Array(List { front, back: None }),
                    Some(parts),
                ) = (&pat.kind, &parts)
                    && front.len() == parts.len()
                {
                    let elems = match &init.kind {
                        ExprKind::Tuple { elems, .. } | ExprKind::Array { elems, .. } => elems.as_slice(),
                        _ => &[],
                    };
                    for ((pat, form), elem) in front.iter().zip(parts).zip(elems) {
                        if let Some(local) = pat.name().filter(|local| !self.body[*local].mutable) {
                            self.inits.insert(local, elem);
                        }
                        match pat.name() {
                            Some(local) => self.bind(local, form.clone()),
                            None => pat.locals().into_iter().for_each(|local| self.bind(local, None)),
                        }
                    }
                } else if let (Some(local), None) = (pat.name(), otherwise) {
                    self.lists.extend(parts.filter(|_| !self.body[local].mutable).map(|parts| (local, parts)));
                    self.bind(local, form);
                    if !self.body[local].mutable && self.locals.get(&local).is_some_and(|form| is_new(form, known)) {
                        self.made.insert(local);
                    }
                    if let Some(truth) = truth.filter(|_| !self.body[local].mutable) {
                        self.truths.insert(local, truth);
                    }
                } else {
                    self.bind_all(pat);
                }
            }
            Stmt::Expr(Expr { kind: ExprKind::Flow { flow, .. }, .. })
                if may_branch
                    && let Shape::If { cond, then, otherwise: None } = flow.shape()
                    && diverges(then) =>
            {
                let (truth, lost) = (self.truth(cond), self.lost);
                self.branch(truth.holds, false, |this| this.block(then));
                // That the condition fails says it all.
                (self.left, self.lost) = (true, lost);
                return Some(self.enter(truth.fails, true));
            }
            // A check that has bound its operands, as `assert_eq!` does.
            Stmt::Expr(Expr { kind: ExprKind::Flow { flow, .. }, .. })
                if may_branch
                    && let Shape::Straight { body, answered: false } = flow.shape()
                    && let (None, Some((check, bound))) = (&body.value, body.stmts.split_last())
                    && bound.iter().all(|stmt| matches!(stmt, Stmt::Let { otherwise: None, .. }))
                    && matches!(check, Stmt::Expr(Expr { kind: ExprKind::Flow { .. }, .. })) =>
            {
                bound.iter().for_each(|stmt| drop(self.statement(stmt, false)));
                return self.statement(check, true);
            }
            Stmt::Expr(Expr { kind: ExprKind::Assert { cond, check: Some(_) }, .. }) if may_branch => {
                let truth = self.truth(cond);
                return Some(Branch { check: true, ..self.enter(truth.holds, true) });
            }
            Stmt::Expr(Expr { kind: ExprKind::Assert { cond, check: Some(_) }, .. }) => {
                self.truth(cond);
                self.failed = true;
            }
            Stmt::Expr(expr) => {
                self.expr(expr);
            }
            Stmt::Declare { local, .. } => self.bind(*local, None),
            Stmt::Item(_) => {}
        }
        None
    }

    /// A new variable. Where nothing is known of an immutable one it still is one number.
    fn bind(&mut self, local: LocalId, form: Option<Form>) {
        let new = &self.body[local];
        if new.mutable {
            return self.assign(local, form);
        }
        // The type of a loose one comes from a method call, which a trait of the user can catch.
        if new.late || new.loose || new.kind != LocalKind::Value {
            return;
        }
        if form.as_ref().is_some_and(|form| self.is_limited(form)) {
            self.facts.info.plain.insert(local);
        }
        let slot = new.slot;
        form.iter().for_each(|form| self.typed(form, slot));
        let form = form.unwrap_or_else(|| match self.inits.get(&local) {
            Some(init) => self.any(init, slot),
            None => self.operation(Operation::Any, Vec::new(), slot),
        });
        self.locals.insert(local, form);
    }

    /// Any number of a type, which depends on the elements that an expression loads.
    fn any(&mut self, expr: &Expr, slot: SlotId) -> Form {
        let any = self.operation(Operation::Any, Vec::new(), slot);
        let loads = Some(self.loads(expr)).filter(|loads| !loads.is_empty());
        let is_element = matches!(expr.kind, ExprKind::Index { .. });
        for atom in any.atoms() {
            self.facts.elements.extend(is_element.then_some(atom));
            self.facts.loaded.extend(loads.clone().map(|loads| (atom, loads)));
        }
        any
    }

    /// Walks an expression; its value, if something is known about it and it is a number.
    pub(super) fn expr(&mut self, expr: &'b Expr) -> Option<Form> {
        if self.of_shared(expr, false) {
            return None;
        }
        match &expr.kind {
            ExprKind::Flow { flow: Flow::Phase { phase, body }, .. } => {
                self.phase(phase, body, expr);
                None
            }
            ExprKind::Int { digits, .. } => digits.parse().ok().map(Form::constant),
            ExprKind::Local(local) => self.locals.get(local).cloned(),
            ExprKind::Own { .. } => None,
            ExprKind::Captured(id) => {
                let name = match self.body[*id].kind {
                    CaptureKind::Extent(grid, dim) => extent(&self.body[grid].name, dim),
                    CaptureKind::View(..) | CaptureKind::Value | CaptureKind::Stride(..) => {
                        self.body[*id].name.to_string()
                    }
                };
                Some(Form::atom(self.facts.symbols.capture(&name, *id)))
            }
            ExprKind::Constant { path, slot, scope } => {
                let text = crate::parse::spelling(path);
                Some(Form::atom(self.facts.symbols.constant(&text, *scope, *slot, Member::default())))
            }
            ExprKind::Len(view) => {
                let len = self.len(*view);
                Some(Form::atom(len))
            }
            ExprKind::Measure { base, what: Measure::Len } if let ExprKind::Local(local) = base.kind => {
                if let Some(view) = self.parameter(local) {
                    let len = self.len(view);
                    return Some(Form::atom(len));
                }
                self.arrays.get(&local).copied().map(Form::constant).or_else(|| self.length_in_type(local))
            }
            ExprKind::Unary { op: UnOp::Neg, operand, .. } => self.expr(operand)?.neg(),
            ExprKind::Binary { op, lhs, rhs, slot, .. } => {
                let (a, b) = (self.expr(lhs), self.expr(rhs));
                let known = |this: &mut Self, form: Option<Form>| {
                    form.unwrap_or_else(|| this.operation(Operation::Any, Vec::new(), *slot))
                };
                match op {
                    BinOp::Add => a?.add(&b?),
                    BinOp::Sub => a?.sub(&b?),
                    BinOp::Mul => self.product(&a?, &b?, *slot),
                    // A power of two, and fewer bits than any type has.
                    BinOp::Shl => {
                        let by = b?.exact_literal().filter(|by| (0..8).contains(by))?;
                        a?.mul(&Form::constant(1 << by))
                    }
                    BinOp::Div | BinOp::Rem => {
                        let (a, b) = (known(self, a), b?);
                        let name = if *op == BinOp::Div { Operation::Div } else { Operation::Rem };
                        let result = self.operation(name, vec![a.clone(), b.clone()], *slot);
                        self.divided(*op, lhs, rhs, (a, b), &result);
                        Some(result)
                    }
                    BinOp::And | BinOp::Or | BinOp::Xor if a.is_some() || b.is_some() => {
                        let (a, b) = (known(self, a), known(self, b));
                        let operation = match op {
                            BinOp::And => Operation::And,
                            BinOp::Or => Operation::Or,
                            _ => Operation::Xor,
                        };
                        Some(self.operation(operation, vec![a, b], *slot))
                    }
                    BinOp::Shr => {
                        let a = known(self, a);
                        // The right side may be of another type.
                        let by = Form::constant(b?.exact_literal()?);
                        Some(self.operation(Operation::Shr, vec![a, by], *slot))
                    }
                    BinOp::And | BinOp::Or | BinOp::Xor => None,
                }
            }
            ExprKind::Loaded { element, slot } => {
                self.expr(element);
                Some(self.any(element, *slot))
            }
            ExprKind::Cast { operand, slot, .. } => {
                let form = self.expr(operand)?;
                // The conversion of a large number may change it: `300 as u8`.
                if self.is_exact(operand) && form.literal().is_none_or(|number| number <= MOST_NARROW) {
                    self.facts.converted.extend(form.atoms());
                    return Some(form);
                }
                Some(form.cast(self.ty(operand)?.0, slot.0))
            }
            ExprKind::Call { callee, args } => self.called(expr, callee, args),
            ExprKind::Element { base, index, of: ElementOf::Slice, site }
                if let Some(view) = self.of_parameter(base) =>
            {
                let index = self.index(view, index);
                self.access(view, index, None, false, Some(*site), expr.span);
                None
            }
            ExprKind::Receiver { place, .. } if self.of_shared(place, false) => None,
            ExprKind::Receiver { place, .. } if self.portion(place).is_some() => self.expr(place),
            ExprKind::Receiver { place, .. } => match place.kind {
                ExprKind::Index { .. } | ExprKind::Element { .. } | ExprKind::Field { .. } => {
                    self.place(false, place);
                    None
                }
                _ => self.expr(place),
            },
            ExprKind::Field { .. } | ExprKind::Element { .. } => {
                self.parts(expr.parts());
                match self.portion(expr) {
                    Some(portion) => Some(self.member(&portion)),
                    None => self.listed(expr),
                }
            }
            ExprKind::Logic { .. } | ExprKind::Compare { .. } | ExprKind::Unary { op: UnOp::Not, .. } => {
                self.truth(expr);
                None
            }
            ExprKind::Index { view, index, site } if !self.fits(*view, index) => {
                self.misfit(*view, index, false, *site, expr.span);
                None
            }
            ExprKind::Index { view, index, site } => {
                let index = self.index(*view, index);
                self.access(*view, index, None, false, Some(*site), expr.span);
                None
            }
            ExprKind::Assign { place, value, op: None } => {
                let value = self.expr(value);
                match place.kind {
                    _ if self.of_shared(place, true) => {}
                    ExprKind::Local(local) => self.assign(local, value),
                    _ => self.place(true, place),
                }
                None
            }
            ExprKind::Assign { place, value, op: Some(AssignOp { op, slot, .. }) } => {
                let value = self.expr(value);
                match place.kind {
                    _ if self.of_shared(place, true) => {}
                    ExprKind::Local(local) => self.assign_op(local, *op, value, *slot),
                    _ => self.place(true, place),
                }
                None
            }
            ExprKind::Flow { flow, slot } => self.flow(flow.shape(), *slot),
            ExprKind::Panic { .. } => {
                self.parts(expr.parts());
                self.leave(true);
                None
            }
            ExprKind::Reference { borrow, place } => {
                self.place(*borrow == Borrow::Unique, place);
                None
            }
            // In a place that no walk has visited.
            ExprKind::View { view } => {
                let written = matches!(self.body[*view].kind, CaptureKind::View(_, crate::ir::Access::Write));
                self.whole(*view, written, expr.span);
                None
            }
            // Every thread evaluates its value: a phase that writes nothing. Of what comes out nothing is known.
            ExprKind::Collective(_) => {
                self.parts(expr.parts());
                None
            }
            // It may be called any number of times, also never.
            ExprKind::Closure { params, body, .. } => {
                self.forget(body);
                self.branch(Holds::default(), false, |this| {
                    params.iter().for_each(|param| this.bind(param.local, None));
                    this.block(body);
                });
                None
            }
            ExprKind::Float { .. }
            | ExprKind::FirstAtomic { .. }
            | ExprKind::Bool(_)
            | ExprKind::Words(_)
            | ExprKind::Tuple { .. }
            | ExprKind::Array { .. }
            | ExprKind::Repeat { .. }
            | ExprKind::Struct { .. }
            | ExprKind::Deref(_)
            | ExprKind::Range { .. }
            | ExprKind::Measure { .. }
            | ExprKind::Print { .. }
            | ExprKind::Assert { .. } => {
                self.parts(expr.parts());
                None
            }
        }
    }

    /// Whether a variable counts a loop.
    pub(super) fn is_counter(&self, local: LocalId) -> bool {
        self.counters.contains(&local)
    }

    /// Whether a value may be another one where it is computed later.
    pub(in super::super) fn changes(&self, value: &Expr) -> bool {
        value.any(&mut |expr| matches!(expr.kind, ExprKind::Local(local) if self.body[local].mutable))
    }

    fn parts(&mut self, parts: Vec<Part<'b>>) {
        for part in parts {
            match part {
                Part::Expr(expr) => {
                    self.expr(expr);
                }
                Part::Block(block) => {
                    self.block(block);
                }
            }
        }
    }
}

impl Extractor<'_> {
    /// The length of a slice that borrows all of an array. The slot of the array has the type of exactly this variable, and only arrays and slices
    /// can be borrowed in this way (`Sliced`). If the type is no array, the launch gets no number.
    fn length_in_type(&mut self, items: LocalId) -> Option<Form> {
        let ExprKind::Reference { place, .. } = &self.inits.get(&items)?.kind else { return None };
        let ExprKind::Range { base, start: None, end: None, .. } = &place.kind else { return None };
        let ExprKind::Local(array) = base.kind else { return None };
        let of = &self.body[array];
        if of.kind != LocalKind::Value || of.loose || of.space != Space::Own {
            return None;
        }
        let name = format!("{}.len()", crate::names::shown(&of.name));
        Some(Form::atom(self.facts.symbols.length(&name, array, of.slot)))
    }

    /// The length of an array, or of what borrows all of it, where it is plain.
    fn array_len(&self, expr: &Expr) -> Option<i64> {
        match &expr.kind {
            ExprKind::Array { elems, .. } => i64::try_from(elems.len()).ok(),
            ExprKind::Repeat { len: syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(len), .. }), .. } => {
                len.base10_parse().ok()
            }
            ExprKind::Reference { place, .. }
                if let ExprKind::Range { base, start: None, end: None, .. } = &place.kind
                    && let ExprKind::Local(local) = base.kind =>
            {
                self.arrays.get(&local).copied()
            }
            _ => None,
        }
    }
}
