//! Where the threads of a block have to wait for each other.
//!
//! The program of a block is a sequence of steps: phases, and what stands around them. A value there is computed by all threads, a change of memory
//! is made by one. Between two steps that touch the same memory, of which one changes it, there must be a barrier. For each step this is asked of
//! all accesses since the last barrier, on any way that control can take: a forward analysis, to a fixed point for loops.
//!
//! Memory is a shared array or a buffer as a whole. So there may be a barrier that no element asks for, but there is none too few.

use std::collections::{BTreeMap, BTreeSet};

use super::blocks::changes_memory;
use proc_macro2::Span;

use crate::ir::{
    Access, Block, Body, Borrow, CaptureId, CaptureKind, Expr, ExprKind, Flow, Head, LocalId, LocalKind, LoopId,
    ParLoop, Part, Pat, Shape, Space, Stmt,
};

/// The steps before which there is a barrier, by the address of their expressions. These live as long as the loop.
#[derive(Default)]
pub(crate) struct Barriers {
    before: BTreeSet<usize>,
    /// Shared arrays that a phase fills before anything reads them.
    pub(crate) filled: BTreeSet<LocalId>,
    /// The phases, and what else is behind a barrier.
    pub(crate) steps: Vec<Step>,
}

/// A step, as it is told.
pub(crate) struct Step {
    pub(crate) span: Span,
    pub(crate) phase: bool,
    /// The names of the memory that it has in common with steps before it.
    pub(crate) behind: Vec<String>,
}

impl Barriers {
    pub(crate) fn contains(&self, step: &Expr) -> bool {
        self.before.contains(&address(step))
    }

    /// Takes the barrier before a step: whether there is one.
    pub(crate) fn take(&mut self, step: &Expr) -> bool {
        self.before.remove(&address(step))
    }
}

fn address(step: &Expr) -> usize {
    std::ptr::from_ref(step).addr()
}

/// Finds the barriers of a loop over blocks; none in other loops.
pub(crate) fn of(par_loop: &ParLoop) -> Barriers {
    if par_loop.shape.is_none() {
        return Barriers::default();
    }
    let body = &par_loop.body;
    let mut walk = Walk {
        body,
        before: BTreeSet::new(),
        filled: super::fills::of(body),
        pending: BTreeSet::new(),
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
    };
    let steps = walk.steps.into_iter().filter_map(|(address, span, phase)| {
        let behind: Vec<String> = walk.why.get(&address).into_iter().flatten().map(name).collect();
        (phase || !behind.is_empty()).then_some(Step { span, phase, behind })
    });
    Barriers { steps: steps.collect(), before: walk.before, filled: walk.filled }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Memory {
    Shared(LocalId),
    Buffer(CaptureId),
    /// Buffers of atomics may be one buffer.
    Atomics,
}

/// Which threads touch memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    All,
    One,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Touch {
    memory: Memory,
    write: bool,
    by: By,
}

impl Touch {
    fn meets(self, other: Touch) -> bool {
        self.memory == other.memory && (self.write || other.write) && (self.by, other.by) != (By::One, By::One)
    }
}

struct Walk<'b> {
    body: &'b Body,
    before: BTreeSet<usize>,
    filled: BTreeSet<LocalId>,
    /// All steps in source order, and the memory for which there are barriers.
    steps: Vec<(usize, Span, bool)>,
    why: BTreeMap<usize, BTreeSet<Memory>>,
    /// What has been touched since the last barrier.
    pending: BTreeSet<Touch>,
    /// What references and closures of the block's program refer to.
    lent: BTreeMap<LocalId, BTreeSet<(Memory, bool)>>,
    /// What is pending where a loop or a labelled block is left, and where its next round begins.
    left: BTreeMap<LoopId, BTreeSet<Touch>>,
    again: BTreeMap<LoopId, BTreeSet<Touch>>,
}

impl Walk<'_> {
    fn step(&mut self, expr: &Expr, by: By) {
        let touched = self.touched(expr);
        self.touch(expr, touched.into_iter().map(|(memory, write)| Touch { memory, write, by }).collect());
    }

    fn touch(&mut self, step: &Expr, touches: BTreeSet<Touch>) {
        let address = address(step);
        if !self.steps.iter().any(|(known, ..)| *known == address) {
            self.steps.push((address, step.span, false));
        }
        let meets = |touch: &&Touch| self.pending.iter().any(|pending| pending.meets(**touch));
        let met: Vec<Memory> = touches.iter().filter(meets).map(|touch| touch.memory).collect();
        if !met.is_empty() {
            self.before.insert(address);
            self.why.entry(address).or_default().extend(met);
        }
        if self.before.contains(&address) {
            self.pending.clear();
        }
        self.pending.extend(touches);
        self.jumps(step, &mut Vec::new());
    }

    /// Jumps inside a value leave what is around it. What they do is not followed: all that the step touches may have been touched.
    fn jumps(&mut self, expr: &Expr, inside: &mut Vec<LoopId>) {
        let known = inside.len();
        if let ExprKind::Flow { flow, .. } = &expr.kind {
            inside.extend(flow.id());
            match flow {
                Flow::Break { id, .. } if !inside.contains(id) => {
                    self.left.entry(*id).or_default().extend(&self.pending);
                }
                Flow::Continue { id, .. } if !inside.contains(id) => {
                    self.again.entry(*id).or_default().extend(&self.pending);
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
        let by = By::All;
        let mut touches: BTreeSet<Touch> =
            self.touched(init).into_iter().map(|(memory, write)| Touch { memory, write, by }).collect();
        if !self.filled.contains(&local) {
            touches.insert(Touch { memory: Memory::Shared(local), write: true, by });
        }
        self.touch(init, touches);
    }

    /// What the references of a pattern refer to is a part of its value.
    fn lend(&mut self, pat: &Pat, value: &Expr) {
        for local in pat.locals() {
            if self.body[local].kind != LocalKind::Value {
                let touched = self.touched(value);
                self.lent.insert(local, touched);
            }
        }
    }

    fn statement(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Flow { flow: Flow::Phase { body, .. }, .. } => {
                for stmt in &body.stmts {
                    match stmt {
                        Stmt::Let { init: end, .. } => self.step(end, By::All),
                        Stmt::Expr(nest) => {
                            self.step(nest, By::All);
                            let nest = address(nest);
                            let known = self.steps.iter_mut().find(|(known, ..)| *known == nest);
                            known.into_iter().for_each(|(_, span, phase)| (*span, *phase) = (expr.span, true));
                        }
                        Stmt::Declare { .. } | Stmt::Item(_) => {}
                    }
                }
            }
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

    fn flow(&mut self, flow: &Flow) {
        match flow.shape() {
            Shape::Straight { body, .. } | Shape::Phase(body) => self.block(body),
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
                    // The next arm is asked if the pattern of this one has not matched, or if its guard has said no.
                    let mut asked = self.pending.clone();
                    if let Some(guard) = &arm.guard {
                        self.step(guard, By::All);
                        asked.extend(self.pending.iter().copied());
                    }
                    self.statement(&arm.body);
                    ends.append(&mut std::mem::replace(&mut self.pending, asked));
                }
                self.pending = ends;
            }
            Shape::Counted { range, body, .. } => {
                range.operands().into_iter().for_each(|end| self.step(end, By::All));
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
        loop {
            self.pending.clone_from(&head);
            test.iter().for_each(|test| self.step(test, By::All));
            let tested = self.pending.clone();
            self.block(body);
            if let Some(pending) = id.and_then(|id| self.again.remove(&id)) {
                self.pending.extend(pending);
            }
            let known = head.len();
            head.append(&mut self.pending);
            if head.len() == known {
                self.pending = tested;
                return self.leave(id);
            }
        }
    }

    fn leave(&mut self, id: Option<LoopId>) {
        if let Some(pending) = id.and_then(|id| self.left.remove(&id)) {
            self.pending.extend(pending);
        }
    }

    /// The memory that an expression may touch, and whether it may change it.
    fn touched(&self, expr: &Expr) -> BTreeSet<(Memory, bool)> {
        let mut all = BTreeSet::new();
        self.collect(expr, &mut all);
        all
    }

    fn collect(&self, expr: &Expr, all: &mut BTreeSet<(Memory, bool)>) {
        match &expr.kind {
            ExprKind::Assign { place, .. }
            | ExprKind::AssignOp { place, .. }
            | ExprKind::Reference { borrow: Borrow::Unique | Borrow::Atomic, place } => {
                let mut changed = BTreeSet::new();
                self.place(place, &mut changed);
                all.extend(changed.into_iter().map(|(memory, _)| (memory, true)));
            }
            ExprKind::Local(_) | ExprKind::CallLocal { .. } | ExprKind::Index { .. } | ExprKind::View { .. } => {
                self.place(expr, all);
            }
            _ => {}
        }
        for part in expr.parts() {
            match part {
                Part::Expr(expr) => self.collect(expr, all),
                Part::Block(block) => self.collect_all(block, all),
            }
        }
    }

    fn collect_all(&self, block: &Block, all: &mut BTreeSet<(Memory, bool)>) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { init, otherwise, .. } => {
                    self.collect(init, all);
                    otherwise.iter().for_each(|otherwise| self.collect_all(otherwise, all));
                }
                Stmt::Expr(expr) => self.collect(expr, all),
                Stmt::Declare { .. } | Stmt::Item(_) => {}
            }
        }
        block.value.iter().for_each(|value| self.collect(value, all));
    }

    /// The memory that a place is in; nothing, of a variable that each thread has.
    fn place(&self, place: &Expr, all: &mut BTreeSet<(Memory, bool)>) {
        match &place.kind {
            ExprKind::Field { base, .. } | ExprKind::Element { base, .. } | ExprKind::Range { base, .. } => {
                self.place(base, all);
            }
            ExprKind::Deref(base) => self.place(base, all),
            ExprKind::Index { view, .. } | ExprKind::View { view } => drop(all.insert(match self.body[*view].kind {
                CaptureKind::View(_, Access::Atomic) => (Memory::Atomics, true),
                _ => (Memory::Buffer(*view), false),
            })),
            ExprKind::Local(local) | ExprKind::CallLocal { local, .. } => {
                if self.body[*local].space == Space::Shared {
                    all.insert((Memory::Shared(*local), false));
                } else if let Some(lent) = self.lent.get(local) {
                    all.extend(lent);
                }
            }
            // Parts of it are looked at where they stand.
            _ => {}
        }
    }
}
