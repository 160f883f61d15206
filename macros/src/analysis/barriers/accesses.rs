//! What a step touches: which elements of which memory, and which threads do.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::numbers::{Atom, Num, Numbers};
use crate::analysis::within::lens;
use crate::ir::{
    self, Adaptor, BinOp, Block, Borrow, Callee, CaptureId, CaptureKind, Expr, ExprKind, Flow, LocalId, LoopId,
    LoopRange, Part, Phase, Shape, Space, Stmt,
};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Memory {
    Shared(LocalId),
    Buffer(CaptureId),
    /// Buffers of atomics may be one buffer.
    Atomics,
    /// Of collectives, by its number.
    Room(usize),
}

/// Which threads touch memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum By {
    All,
    /// Thread 0.
    One,
    /// Those of the iterations of a phase: iteration `i`, by rows, is run by thread `i % T`.
    Phase(Rc<Places>),
}

/// The iterations of a phase.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Places {
    /// How many there are along each dimension, as far as that is known.
    pub(super) counts: Vec<Option<Num>>,
}

/// An access of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Access {
    pub(super) memory: Memory,
    pub(super) write: bool,
    pub(super) by: By,
    /// The index along each dimension, as far as it is known; `None` for the whole memory.
    pub(super) index: Option<Vec<Option<Num>>>,
    /// The loops around it, inside of the step: from the first number to the second.
    pub(super) inner: Vec<Option<(Num, Num)>>,
    /// All iterations of the phase make it, in all rounds of these loops, and rule A holds for
    /// them: several may change one atomic.
    pub(super) always: bool,
}

impl Access {
    /// The first values of a shared array: element `e`, by rows, is written by thread `e % T`.
    pub(super) fn fill(local: LocalId, lens: &Lens) -> Self {
        let dims = 0..lens.literal.len();
        let counts = lens.literal.iter().map(|len| Some(Num::Lit(*len))).collect();
        let index = dims.map(|dim| Some(Num::Atom(Atom::Place(dim)))).collect();
        Self {
            memory: Memory::Shared(local),
            write: true,
            by: By::Phase(Rc::new(Places { counts })),
            index: Some(index).filter(|_| lens.all),
            inner: Vec::new(),
            always: true,
        }
    }

    /// The loops of the block's program on which its elements depend.
    pub(super) fn loops(&self, numbers: &Numbers<'_>) -> BTreeSet<LoopId> {
        let mut atoms = Vec::new();
        let counts = match &self.by {
            By::Phase(places) => places.counts.as_slice(),
            By::All | By::One => &[],
        };
        let ends = self.inner.iter().flatten().flat_map(|(start, end)| [start, end]);
        let all = self.index.iter().flatten().chain(counts).flatten().chain(ends);
        all.for_each(|num| num.atoms(&mut atoms));
        let homes = atoms.into_iter().filter_map(|atom| match atom {
            Atom::Local(local) => numbers.homes.get(&local),
            _ => None,
        });
        homes.flatten().copied().collect()
    }
}

/// What a variable of the block's program refers to.
pub(super) type Lent = BTreeMap<LocalId, BTreeSet<(Memory, bool)>>;

/// Walks a step.
pub(super) struct Collector<'w, 'b> {
    pub(super) numbers: &'w mut Numbers<'b>,
    pub(super) lent: &'w Lent,
    /// The lengths of shared arrays, as far as they are literal.
    pub(super) lens: &'w BTreeMap<LocalId, Lens>,
    by: By,
    inner: Vec<Option<(Num, Num)>>,
    /// Something decides whether control comes here.
    maybe: bool,
    /// Control may have left for somewhere else.
    left: bool,
    answered: bool,
    all: Vec<Access>,
}

impl<'w, 'b> Collector<'w, 'b> {
    pub(super) fn new(
        numbers: &'w mut Numbers<'b>,
        lent: &'w Lent,
        lens: &'w BTreeMap<LocalId, Lens>,
        by: By,
        answered: bool,
    ) -> Self {
        Self { numbers, lent, lens, by, inner: Vec::new(), maybe: false, left: false, answered, all: Vec::new() }
    }

    pub(super) fn step(mut self, expr: &Expr) -> Vec<Access> {
        self.expr(expr);
        self.all
    }

    /// The loops in each other that a phase is.
    pub(super) fn phase(mut self, phase: &Phase, nest: &Expr) -> Vec<Access> {
        let (mut inner, mut counts) = (nest, Vec::new());
        for (at, var) in phase.vars.iter().enumerate() {
            let ExprKind::Flow { flow: Flow::For { range, body, .. }, .. } = &inner.kind else {
                return self.step(nest);
            };
            let (start, end) = (self.numbers.of(&range.start), self.numbers.of(&range.end));
            let literal = phase.literal.as_ref().and_then(|literal| literal.get(at));
            counts.push(match (literal, &start, end) {
                (Some((_, count)), ..) => Some(Num::Lit(*count)),
                (None, Some(start), Some(end)) => Some(Num::op(BinOp::Sub, end, start.clone())),
                _ => None,
            });
            let place = Num::Atom(Atom::Place(at));
            self.numbers.set(*var, start.map(|start| Num::op(BinOp::Add, start, place)));
            if at + 1 == phase.vars.len() {
                self.by = By::Phase(Rc::new(Places { counts }));
                self.block(body);
                break;
            }
            let Some(Stmt::Expr(next)) = body.stmts.first() else { return self.step(nest) };
            inner = next;
        }
        self.all
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Assign { place, value, .. } => {
                self.expr(value);
                self.place(place, true);
            }
            // The element of an array that threads share. It counts as written, unless it is only
            // loaded.
            ExprKind::Call { callee: Callee::Atomic { op, .. }, args }
                if let [cell, values @ ..] = args.as_slice()
                    && let ExprKind::Reference { place, .. } = &cell.kind
                    && self.numbers.body.is_of_atomics(place) =>
            {
                self.place(place, op.name != "load");
                values.iter().for_each(|value| self.expr(value));
            }
            ExprKind::Reference { borrow, place } => self.refer(place, *borrow != Borrow::Shared),
            ExprKind::Local(_)
            | ExprKind::Call { callee: Callee::Closure(_), .. }
            | ExprKind::Index { .. }
            | ExprKind::View { .. }
            | ExprKind::Element { .. }
            | ExprKind::Range { .. }
            | ExprKind::Field { .. }
            | ExprKind::Deref(_) => self.place(expr, false),
            ExprKind::Flow { flow, .. } => self.flow(flow),
            ExprKind::Logic { lhs, rhs, .. } => {
                self.expr(lhs);
                self.perhaps(|this| this.expr(rhs));
            }
            ExprKind::Closure { body, .. } => self.perhaps(|this| this.block(body)),
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

    fn perhaps(&mut self, inside: impl FnOnce(&mut Self)) {
        let known = std::mem::replace(&mut self.maybe, true);
        inside(self);
        self.maybe = known;
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pat, init, otherwise, .. } => {
                    self.expr(init);
                    self.numbers.bind(pat, init);
                    if let Some(otherwise) = otherwise {
                        self.perhaps(|this| this.block(otherwise));
                        self.left = true;
                    }
                }
                Stmt::Expr(expr) => self.expr(expr),
                Stmt::Declare { .. } | Stmt::Item(_) => {}
            }
        }
        block.value.iter().for_each(|value| self.expr(value));
    }

    fn flow(&mut self, flow: &Flow) {
        match flow.shape() {
            Shape::Straight { body, answered } => {
                let known = self.answered;
                self.answered |= answered;
                self.block(body);
                self.answered = known;
            }
            Shape::Phase(body) => self.block(body),
            Shape::Counted { var, range, body } => {
                range.operands().into_iter().for_each(|end| self.expr(end));
                let known = self.maybe;
                self.maybe |=
                    body.jumps() || range.adaptors.iter().any(|adaptor| matches!(adaptor, Adaptor::StepBy { .. }));
                let round = Num::Atom(Atom::Inner(self.inner.len()));
                let ends = self.ends(range);
                // Where an end is not one for all iterations, some may have no round.
                let is_own = |atom| matches!(atom, Atom::Place(_) | Atom::Inner(_));
                self.maybe |= ends.as_ref().is_none_or(|(start, end)| start.any(&is_own) || end.any(&is_own));
                self.numbers.set(var, ends.is_some().then_some(round));
                self.inner.push(ends);
                self.block(body);
                self.inner.pop();
                self.maybe = known;
            }
            Shape::If { cond, then, otherwise } => {
                self.expr(cond);
                self.perhaps(|this| this.block(then));
                otherwise.iter().for_each(|otherwise| self.perhaps(|this| this.expr(otherwise)));
            }
            Shape::Match { scrutinee, arms } => {
                self.expr(scrutinee);
                self.perhaps(|this| {
                    for arm in arms {
                        arm.guard.iter().for_each(|guard| this.expr(guard));
                        this.expr(&arm.body);
                    }
                });
            }
            shape => {
                self.perhaps(|this| this.parts(shape.parts()));
                // Behind a jump, some iterations go on.
                self.left |= matches!(shape, Shape::Jump(_) | Shape::Question(_));
            }
        }
    }

    /// From where to where a loop counts.
    fn ends(&self, range: &LoopRange) -> Option<(Num, Num)> {
        let (start, end) = (self.numbers.of(&range.start)?, self.numbers.of(&range.end)?);
        match (range.inclusive, end) {
            (false, end) => Some((start, end)),
            (true, Num::Lit(end)) => Some((start, Num::Lit(end.checked_add(1)?))),
            (true, _) => None,
        }
    }

    fn touch(&mut self, memory: Memory, write: bool, index: Option<Vec<Option<Num>>>) {
        let index = index.filter(|_| !self.answered);
        let atomic = matches!(memory, Memory::Shared(local) if self.numbers.body[local].atomics > 0);
        let access = Access {
            memory,
            write,
            by: self.by.clone(),
            index,
            inner: self.inner.clone(),
            always: !self.maybe && !self.left && !self.answered && !atomic,
        };
        if !self.all.contains(&access) {
            self.all.push(access);
        }
    }

    /// A place that is read or changed: an element, where it is one.
    fn place(&mut self, place: &Expr, write: bool) {
        let (mut base, mut indexes) = (place, Vec::new());
        loop {
            match &base.kind {
                ExprKind::Element { base: inner, index, .. } => {
                    indexes.push(&**index);
                    base = inner;
                }
                ExprKind::Field { base: inner, .. } => base = inner,
                // What is inside of a part, or behind a reference, is anywhere.
                ExprKind::Range { .. } | ExprKind::Deref(_) => {
                    indexes.into_iter().for_each(|index| self.expr(index));
                    return self.refer(base, write);
                }
                _ => break,
            }
        }
        indexes.reverse();
        match &base.kind {
            ExprKind::Local(local) if self.is_shared(*local) => {
                let dims = self.lens.get(local).map_or(0, |lens| lens.literal.len());
                let known = indexes.iter().take(dims).map(|index| self.numbers.of(index));
                let mut known: Vec<Option<Num>> = known.collect();
                known.resize(dims, None);
                if !self.lens.get(local).is_some_and(|lens| lens.all) {
                    known.push(None);
                }
                self.touch(Memory::Shared(*local), write, Some(known));
            }
            ExprKind::Index { view, index, .. } => {
                match self.memory(*view) {
                    (Memory::Atomics, _) => self.touch(Memory::Atomics, true, None),
                    (memory, _) => {
                        let known = match &index.kind {
                            ExprKind::Array { elems, .. } => elems.iter().map(|elem| self.numbers.of(elem)).collect(),
                            // Where a point is in a grid, is not known.
                            _ if self.numbers.body[*view].dims > 0 => vec![None],
                            _ => vec![self.numbers.of(index)],
                        };
                        self.touch(memory, write, Some(known));
                    }
                }
                self.expr(index);
            }
            _ => self.refer(base, write),
        }
        indexes.into_iter().for_each(|index| self.expr(index));
    }

    /// A place of which nobody knows what is done with its parts.
    fn refer(&mut self, place: &Expr, write: bool) {
        match &place.kind {
            ExprKind::Element { base, index, .. } => {
                self.refer(base, write);
                self.expr(index);
            }
            ExprKind::Field { base, .. } | ExprKind::Deref(base) => self.refer(base, write),
            ExprKind::Range { base, start, end, .. } => {
                self.refer(base, write);
                start.iter().chain(end).for_each(|end| self.expr(end));
            }
            ExprKind::Index { view, index, .. } => {
                let (memory, atomic) = self.memory(*view);
                self.touch(memory, write || atomic, None);
                self.expr(index);
            }
            ExprKind::View { view } => {
                let (memory, atomic) = self.memory(*view);
                self.touch(memory, write || atomic, None);
            }
            ExprKind::Local(local) | ExprKind::Call { callee: Callee::Closure(local), .. } => {
                if self.is_shared(*local) {
                    self.touch(Memory::Shared(*local), write, None);
                }
                for (memory, changes) in self.lent.get(local).cloned().unwrap_or_default() {
                    self.touch(memory, changes || write, None);
                }
                self.parts(place.parts());
            }
            _ => self.expr(place),
        }
    }

    fn memory(&self, view: CaptureId) -> (Memory, bool) {
        match self.numbers.body[view].kind {
            CaptureKind::View(_, ir::Access::Atomic) => (Memory::Atomics, true),
            _ => (Memory::Buffer(view), false),
        }
    }

    fn is_shared(&self, local: LocalId) -> bool {
        self.numbers.body[local].space == Space::Shared
    }
}

/// The lengths of a shared array.
pub(super) struct Lens {
    /// From the first one on, as long as they are literal.
    pub(super) literal: Vec<u64>,
    /// There are no others.
    pub(super) all: bool,
}

impl Lens {
    pub(super) fn of(init: &Expr) -> Self {
        let literal: Vec<u64> = lens(init).into_iter().filter_map(|len| u64::try_from(len).ok()).collect();
        let mut value = init;
        for _ in &literal {
            if let ExprKind::Repeat { value: inner, .. } = &value.kind {
                value = inner;
            }
        }
        Self { literal, all: !matches!(value.kind, ExprKind::Repeat { .. }) }
    }
}
