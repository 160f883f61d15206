//! Where the threads of a block have to wait for each other.
//!
//! The program of a block is a sequence of steps: phases, and what stands around them. A value
//! there is computed by all threads, a change of memory is made by one. Between two steps that
//! touch the same memory, of which one changes it, there must be a barrier. For each step this is
//! asked of all accesses since the last barrier, on any way that control can take: a forward
//! analysis, to a fixed point for loops.
//!
//! | file | what it knows |
//! |---|---|
//! | `accesses` | what a step touches |
//! | `elements` | whether two accesses may be of one element, by different threads |
//! | `numbers` | the numbers in indexes |
//! | `rooms` | the memory of collectives |
//!
//! What is not understood may be of any element. So there may be a barrier that no element asks
//! for, but there is none too few.

mod accesses;
mod elements;
mod numbers;
mod rooms;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use proc_macro2::Span;

use crate::ir::{
    Block, Body, Expr, ExprId, ExprKind, Flow, Head, LocalId, LocalKind, LoopId, ParLoop, Part, Pat, Phase, Shape,
    SlotId, Space, Stmt, changes_memory,
};
use accesses::{Access, By, Collector, Lens, Lent, Memory};
use anabranch_core::ir::code::Room;
use elements::{Age, Ages, Elements};
use numbers::Numbers;

/// Where the threads of a block wait for each other, and what follows from that.
#[derive(Default)]
pub(crate) struct Barriers {
    /// The steps before which there is a barrier.
    pub(crate) before: BTreeSet<ExprId>,
    /// Shared arrays that a phase fills before anything reads them.
    pub(crate) filled: BTreeSet<LocalId>,
    /// Arrays for which that holds if no number in these comparisons has wrapped.
    pub(crate) filled_unless_wrapped: BTreeMap<LocalId, BTreeSet<SlotId>>,
    /// The phases, and what else is behind a barrier.
    pub(crate) steps: Vec<Step>,
    /// What collectives use, by what each thread evaluates.
    pub(crate) rooms: BTreeMap<ExprId, Room>,
}

/// A step, as it is told.
pub(crate) struct Step {
    pub(crate) span: Span,
    pub(crate) phase: bool,
    /// The names of the memory that it has in common with steps before it.
    pub(crate) behind: Vec<String>,
}

/// Finds the barriers of a loop over blocks; none in other loops.
pub(crate) fn of(par_loop: &ParLoop) -> Barriers {
    if par_loop.shape.is_none() {
        return Barriers::default();
    }
    let body = &par_loop.body;
    let (filled, filled_unless_wrapped): (BTreeMap<_, _>, BTreeMap<_, _>) =
        super::fills::of(body).into_iter().partition(|(_, compared)| compared.is_empty());
    let mut walk = Walk {
        body,
        before: BTreeSet::new(),
        filled: filled.into_keys().collect(),
        pending: BTreeSet::new(),
        numbers: Numbers::new(body, par_loop.dims.iter().map(|dim| dim.var)),
        elements: Elements::new(par_loop.block),
        accesses: rooms::accesses(),
        rooms: BTreeMap::new(),
        of_steps: BTreeMap::new(),
        around: Vec::new(),
        answered: false,
        lent: BTreeMap::new(),
        steps: Vec::new(),
        why: BTreeMap::new(),
        left: BTreeMap::new(),
        again: BTreeMap::new(),
    };
    walk.block(&body.block);
    let name = |memory: &Memory| match memory {
        Memory::Shared(local) => body[*local].name.to_string(),
        Memory::Buffer(view) => body[*view].name.to_string(),
        Memory::Atomics => "atomics".to_owned(),
        Memory::Room(_) => "collectives".to_owned(),
    };
    let steps = std::mem::take(&mut walk.steps).into_iter().filter_map(|(id, span, phase)| {
        let behind: Vec<String> = walk.why.get(&id).into_iter().flatten().map(name).collect();
        (phase || !behind.is_empty()).then_some(Step { span, phase, behind })
    });
    let Walk { before, filled, rooms, .. } = walk;
    Barriers { steps: steps.collect(), before, filled, filled_unless_wrapped, rooms }
}

/// An access that has been made.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Touch {
    access: usize,
    ages: Ages,
}

impl Touch {
    /// The same where only these loops are around: another round of any other one may follow.
    fn inside(mut self, around: &[LoopId]) -> Self {
        self.ages.retain(|of, _| around.contains(of));
        self
    }

    /// The same in the next round of a loop.
    fn older(self, id: Option<LoopId>, around: &[LoopId]) -> Self {
        let mut touch = self.inside(around);
        if let Some(id) = id {
            match touch.ages.get(&id) {
                Some(Age::This) => drop(touch.ages.insert(id, Age::Before)),
                _ => drop(touch.ages.remove(&id)),
            }
        }
        touch
    }
}

/// An access of a step, and the loops on which its elements depend.
type Made = (usize, BTreeSet<LoopId>);

struct Walk<'b> {
    body: &'b Body,
    before: BTreeSet<ExprId>,
    filled: BTreeSet<LocalId>,
    /// All steps in source order, and the memory for which there are barriers.
    steps: Vec<(ExprId, Span, bool)>,
    why: BTreeMap<ExprId, BTreeSet<Memory>>,
    numbers: Numbers<'b>,
    elements: Elements,
    accesses: Vec<Access>,
    rooms: BTreeMap<ExprId, Room>,
    /// Those of a step.
    of_steps: BTreeMap<ExprId, Rc<[Made]>>,
    /// The loops around.
    around: Vec<LoopId>,
    /// The user answers for races.
    answered: bool,
    /// What has been touched since the last barrier.
    pending: BTreeSet<Touch>,
    /// What references and closures of the block's program refer to.
    lent: Lent,
    /// What is pending where a loop or a labelled block is left, and where its next round begins.
    left: BTreeMap<LoopId, BTreeSet<Touch>>,
    again: BTreeMap<LoopId, BTreeSet<Touch>>,
}

impl<'b> Walk<'b> {
    fn collector(&mut self, by: By) -> Collector<'_, 'b> {
        Collector::new(&mut self.numbers, &self.lent, &self.elements.lens, by, self.answered)
    }

    fn step(&mut self, expr: &Expr, by: By) {
        if !self.of_steps.contains_key(&expr.id) {
            let made = self.collector(by).step(expr);
            self.made(expr, made);
        }
        self.touch(expr);
    }

    /// The accesses of a step.
    fn made(&mut self, step: &Expr, made: Vec<Access>) {
        let first = self.accesses.len();
        let loops = made.iter().map(|access| access.loops(&self.numbers));
        self.of_steps.insert(step.id, (first..).zip(loops).collect());
        self.accesses.extend(made);
    }

    fn touch(&mut self, step: &Expr) {
        let id = step.id;
        if !self.steps.iter().any(|(known, ..)| *known == id) {
            self.steps.push((id, step.span, false));
        }
        let Some(made) = self.of_steps.get(&id).cloned() else { return };
        for (access, _) in &*made {
            let (numbers, accesses) = (&self.numbers, &self.accesses);
            let mut pending = self.pending.iter();
            if pending.any(|Touch { access: known, ages }| self.elements.meet(numbers, accesses, *known, *access, ages))
            {
                self.before.insert(id);
                self.why.entry(id).or_default().insert(accesses[*access].memory);
            }
        }
        if self.before.contains(&id) {
            self.pending.clear();
        }
        let ages = |loops: &BTreeSet<LoopId>| loops.iter().map(|of| (*of, Age::This)).collect();
        self.pending.extend(made.iter().map(|(access, loops)| Touch { access: *access, ages: ages(loops) }));
        self.collectives(step);
        self.jumps(step, &mut Vec::new());
    }

    /// Jumps inside a value leave what is around it. What they do is not followed: all that the
    /// step touches may have been touched.
    fn jumps(&mut self, expr: &Expr, inside: &mut Vec<LoopId>) {
        let known = inside.len();
        if let ExprKind::Flow { flow, .. } = &expr.kind {
            inside.extend(flow.id());
            match flow {
                Flow::Break { id, .. } if !inside.contains(id) => {
                    self.left.entry(*id).or_default().extend(self.pending.iter().cloned());
                }
                Flow::Continue { id, .. } if !inside.contains(id) => {
                    self.again.entry(*id).or_default().extend(self.pending.iter().cloned());
                }
                _ => {}
            }
        }
        for part in expr.parts() {
            match part {
                Part::Expr(expr) => self.jumps(expr, inside),
                Part::Block(block) => self.jumps_of(block, inside),
            }
        }
        inside.truncate(known);
    }

    fn jumps_of(&mut self, block: &Block, inside: &mut Vec<LoopId>) {
        for part in block.parts() {
            match part {
                Part::Expr(expr) => self.jumps(expr, inside),
                Part::Block(block) => self.jumps_of(block, inside),
            }
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pat, init, otherwise, .. } => {
                    match pat.name().filter(|local| self.body[*local].space == Space::Shared) {
                        Some(local) => self.fill(local, init),
                        None => self.step(init, By::All),
                    }
                    self.lend(pat, init);
                    self.numbers.declare(pat, init, &self.around);
                    if let Some(otherwise) = otherwise {
                        let matched = self.pending.clone();
                        self.block(otherwise);
                        self.pending.extend(matched);
                    }
                }
                Stmt::Expr(expr) => self.statement(expr),
                Stmt::Declare { .. } | Stmt::Item(_) => {}
            }
        }
        block.value.iter().for_each(|value| self.statement(value));
    }

    fn fill(&mut self, local: LocalId, init: &Expr) {
        if !self.of_steps.contains_key(&init.id) {
            let mut made = self.collector(By::All).step(init);
            let lens = Lens::of(init);
            if !self.filled.contains(&local) {
                made.push(Access::fill(local, &lens));
            }
            self.elements.lens.insert(local, lens);
            self.made(init, made);
        }
        self.touch(init);
    }

    /// What the references of a pattern refer to is a part of its value.
    fn lend(&mut self, pat: &Pat, value: &Expr) {
        for local in pat.locals() {
            if self.body[local].kind != LocalKind::Value {
                let made = self.collector(By::All).step(value);
                let touched = made.into_iter().map(|access| (access.memory, access.write));
                self.lent.insert(local, touched.collect());
            }
        }
    }

    fn statement(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Flow { flow: Flow::Phase { phase, body }, .. } => self.phase(expr, phase, body),
            ExprKind::Flow { flow: Flow::Break { id, value, .. }, .. } => {
                value.iter().for_each(|value| self.step(value, By::All));
                let pending = std::mem::take(&mut self.pending);
                self.left.entry(*id).or_default().extend(pending);
            }
            ExprKind::Flow { flow: Flow::Continue { id, .. }, .. } => {
                let pending = std::mem::take(&mut self.pending);
                self.again.entry(*id).or_default().extend(pending);
            }
            ExprKind::Flow { flow, .. } => self.flow(flow),
            _ if changes_memory(expr, self.body) && !matches!(expr.kind, ExprKind::Assert { .. }) => {
                self.step(expr, By::One);
            }
            _ => self.step(expr, By::All),
        }
    }

    fn phase(&mut self, expr: &Expr, phase: &Phase, body: &Block) {
        for stmt in &body.stmts {
            match stmt {
                Stmt::Let { pat, init: end, .. } => {
                    self.step(end, By::All);
                    self.numbers.declare(pat, end, &self.around);
                }
                Stmt::Expr(nest) => {
                    if !self.of_steps.contains_key(&nest.id) {
                        let made = self.collector(By::All).phase(phase, nest);
                        self.made(nest, made);
                    }
                    self.touch(nest);
                    let nest = nest.id;
                    let known = self.steps.iter_mut().find(|(known, ..)| *known == nest);
                    known.into_iter().for_each(|(_, span, phase)| (*span, *phase) = (expr.span, true));
                }
                Stmt::Declare { .. } | Stmt::Item(_) => {}
            }
        }
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
            Shape::Labelled(body) => {
                self.block(body);
                self.leave(flow.id());
            }
            Shape::If { cond, then, otherwise } => {
                self.step(cond, By::All);
                let before = self.pending.clone();
                self.block(then);
                let then = std::mem::replace(&mut self.pending, before);
                otherwise.iter().for_each(|otherwise| self.statement(otherwise));
                self.pending.extend(then);
            }
            Shape::Match { scrutinee, arms } => {
                self.step(scrutinee, By::All);
                let mut ends = BTreeSet::new();
                for arm in arms {
                    self.lend(&arm.pat, scrutinee);
                    // The next arm is asked if the pattern of this one has not matched, or if its
                    // guard has said no.
                    let mut asked = self.pending.clone();
                    if let Some(guard) = &arm.guard {
                        self.step(guard, By::All);
                        if arm.pat.has_alternatives() {
                            self.asked_again(guard);
                        }
                        asked.extend(self.pending.iter().cloned());
                    }
                    self.statement(&arm.body);
                    ends.append(&mut std::mem::replace(&mut self.pending, asked));
                }
                self.pending = ends;
            }
            Shape::Counted { var, range, body } => {
                range.operands().into_iter().for_each(|end| self.step(end, By::All));
                let around: Vec<LoopId> = self.around.iter().copied().chain(flow.id()).collect();
                self.numbers.count(var, range, &around);
                self.rounds(flow.id(), None, body);
            }
            Shape::Round { head: Head::Bind(pat, array), body, ends: true } => {
                self.step(array, By::All);
                self.lend(pat, array);
                self.rounds(flow.id(), None, body);
            }
            Shape::Round { head: Head::Empty, body, .. } => self.rounds(flow.id(), None, body),
            Shape::Round { head: Head::Test(test), body, .. } => self.rounds(flow.id(), Some(test), body),
            Shape::Round { head: Head::Bind(pat, value), body, .. } => {
                self.lend(pat, value);
                self.rounds(flow.id(), Some(value), body);
            }
            Shape::Jump(value) => value.into_iter().for_each(|value| self.step(value, By::All)),
            Shape::Question(value) => self.step(value, By::All),
        }
    }

    /// A loop, until one more round finds nothing new at its head.
    fn rounds(&mut self, id: Option<LoopId>, test: Option<&Expr>, body: &Block) {
        let mut head = self.pending.clone();
        let depth = self.around.len();
        self.around.extend(id);
        loop {
            self.pending.clone_from(&head);
            test.iter().for_each(|test| self.step(test, By::All));
            let tested = self.pending.clone();
            self.block(body);
            if let Some(pending) = id.and_then(|id| self.again.remove(&id)) {
                self.pending.extend(pending);
            }
            let known = head.len();
            head.extend(std::mem::take(&mut self.pending).into_iter().map(|touch| touch.older(id, &self.around)));
            if head.len() == known {
                self.around.truncate(depth);
                self.pending = tested;
                return self.leave(id);
            }
        }
    }

    fn leave(&mut self, id: Option<LoopId>) {
        if let Some(pending) = id.and_then(|id| self.left.remove(&id)) {
            self.pending.extend(pending);
        }
        let pending = std::mem::take(&mut self.pending);
        self.pending = pending.into_iter().map(|touch| touch.inside(&self.around)).collect();
    }
}
