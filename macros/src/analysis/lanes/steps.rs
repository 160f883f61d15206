//! What lanes do, step by step.

use std::collections::BTreeMap;
use std::ops::Range;

use proc_macro2::TokenStream;

use super::asked::{Checks, OfTypes};
use crate::ir::{Body, Expr, LocalId, LoopId, LoopRange, SlotId, Stmt};

/// What a loop does in lanes.
pub(crate) struct Lanes<'b> {
    /// The loop, or the function.
    pub(crate) whole: LoopId,
    pub(crate) steps: Vec<Step<'b>>,
    /// The variables that live longer than a region, with the number of masks around them.
    pub(crate) kept: BTreeMap<LocalId, usize>,
    /// Variables that are made anew in each region, so that the compiler sees what lies side by
    /// side.
    pub(crate) recomputed: BTreeMap<LocalId, &'b Expr>,
    /// Some lanes end early, with `continue`.
    pub(crate) ends: bool,
    pub(crate) checks: Checks<'b>,
    /// The slots of what is in it.
    pub(super) slots: Range<usize>,
    /// The slots of operations that are understood if they are of integers.
    pub(crate) integers: Vec<SlotId>,
    /// The slots of functions that have all lanes at once.
    pub(super) calls: Vec<SlotId>,
    /// Methods that do not change the variable that they are called on.
    pub(super) methods: Vec<SlotId>,
    /// There is a long loop, not only functions that may have some.
    pub(super) looped: bool,
}

/// A part of that.
pub(crate) enum Step<'b> {
    /// What each lane does, one behind the other. A `total` one may be computed for lanes that take
    /// no part.
    Region { lines: Vec<Line<'b>>, total: bool },
    /// An access of the next region: the elements of all lanes, which lie side by side if the index
    /// of the last lane says so, and none of the `sums` wraps.
    Window { access: &'b Expr, sums: Vec<&'b Expr> },
    /// The element of each lane, or a part of it, that a loop reads. Perhaps the loop has no round,
    /// and it is not there.
    Own(&'b Expr),
    /// A variable that is the same in all lanes.
    Uniform(&'b Stmt),
    /// `{ … }`.
    Scope(Vec<Step<'b>>),
    /// `if`, with loops in it or with elements that it reads.
    If { cond: &'b Expr, test: Test, then: Vec<Step<'b>>, otherwise: Option<Vec<Step<'b>>> },
    /// A loop with the same range in all lanes. If it is `left`, not all of them may be in it.
    Counted { id: LoopId, left: Left, var: LocalId, range: &'b LoopRange, body: Vec<Step<'b>> },
    /// A loop that goes on until no lane is in it.
    While { id: LoopId, left: Left, cond: Option<&'b Expr>, body: Vec<Step<'b>> },
    /// A loop whose ends differ between lanes.
    Ranged { id: LoopId, left: Left, var: LocalId, range: &'b LoopRange, body: Vec<Step<'b>> },
    /// A call that the next region uses the results of. All lanes take part.
    Call { call: &'b Expr, slot: SlotId, args: Vec<&'b Expr> },
    /// What a function returns.
    Result(&'b Expr),
    /// `break`, or `continue`, or the end of a function.
    Jump { to: LoopId, leaves: bool },
}

/// Bytes of a lane's variables.
pub(crate) const ROOM: usize = 4096;

/// The `par` loop itself.
pub(crate) const WHOLE: LoopId = LoopId(0);

/// What `return` leaves.
pub(crate) const FUNCTION: LoopId = LoopId(usize::MAX);

/// What a condition is for the lanes.
#[derive(Clone, Copy)]
pub(crate) enum Test {
    /// The same in all of them.
    Uniform,
    /// It may be asked for lanes that take no part.
    Total,
    /// Only those that take part ask.
    Partial,
}

/// How lanes leave a loop.
#[derive(Clone, Copy)]
pub(crate) struct Left {
    /// Some before others.
    pub(crate) early: bool,
    /// Some leave a round of it.
    pub(crate) rounds: bool,
}

/// A statement, or an expression as one.
#[derive(Clone, Copy)]
pub(crate) enum Line<'b> {
    Let(&'b Stmt),
    Expr(&'b Expr),
}

impl Lanes<'_> {
    /// What is asked of the types.
    pub(crate) fn conditions(&self, body: &Body, private: &TokenStream) -> TokenStream {
        let kept: Vec<SlotId> = self.kept.keys().map(|local| body.value_slot(*local)).collect();
        // Phases share the stack frame of their block, with the variables of all threads.
        let most = if matches!(self.whole, FUNCTION | WHOLE) { ROOM } else { ROOM / 4 };
        let Self { slots, integers, calls, methods, looped, .. } = self;
        let within = slots.clone();
        let of_types = OfTypes { most, within, integers, kept: &kept, calls, methods, looped: *looped };
        self.checks.conditions(&of_types, private)
    }
}

impl Step<'_> {
    /// Whether lanes may take no more part behind it.
    pub(crate) fn jumps(&self) -> bool {
        match self {
            Step::Region { .. }
            | Step::Window { .. }
            | Step::Own(_)
            | Step::Uniform(_)
            | Step::Call { .. }
            | Step::Result(_) => false,
            Step::Scope(steps)
            | Step::Counted { body: steps, .. }
            | Step::Ranged { body: steps, .. }
            | Step::While { body: steps, .. } => steps.iter().any(Step::jumps),
            Step::If { then, otherwise, .. } => then.iter().chain(otherwise.iter().flatten()).any(Step::jumps),
            Step::Jump { .. } => true,
        }
    }
}
