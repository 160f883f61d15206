//! Control flow: expressions that may run a part of themselves never or more than once, or that jump.

use super::{Block, Expr, LocalId, LoopId, Part, Pat, SiteId, SlotId};

/// What an expression that is control flow does. Children are in the order in which Rust evaluates them.
pub(crate) enum Flow {
    /// `{ … }`.
    Block(Block),
    /// `unsafe { … }`: the user answers for races of the accesses inside.
    Unsafe(Block),
    /// `'label: { … }`; `slot` is the type of its value where it has one.
    Labelled { id: LoopId, label: syn::Label, body: Block, slot: Option<SlotId> },
    /// `if`; `slot` is the type of its value where it has one.
    If { cond: Box<Expr>, then: Block, otherwise: Option<Box<Expr>>, slot: Option<SlotId> },
    /// `match`, and `if let`; `slot` is the type of its value where it has one.
    Match { scrutinee: Box<Expr>, arms: Vec<Arm>, slot: Option<SlotId>, form: MatchForm },
    /// `while`.
    While { id: LoopId, label: Option<syn::Label>, cond: Box<Expr>, body: Block },
    /// `while let`.
    WhileLet { id: LoopId, label: Option<syn::Label>, pat: Pat, scrutinee: Box<Expr>, body: Block },
    /// `loop`; `slot` is the type of its value where it has one.
    Loop { id: LoopId, label: Option<syn::Label>, body: Block, slot: Option<SlotId> },
    /// `for var in range`.
    For { id: LoopId, label: Option<syn::Label>, var: LocalId, range: Box<LoopRange>, body: Block },
    /// `for pat in array`.
    ForEach { id: LoopId, label: Option<syn::Label>, pat: Pat, array: Box<Expr>, body: Block },
    /// `break 'label value`.
    Break { id: LoopId, label: Option<syn::Lifetime>, value: Option<Box<Expr>> },
    /// `continue 'label`.
    Continue { id: LoopId, label: Option<syn::Lifetime> },
    /// `return value`, in a device function.
    Return(Option<Box<Expr>>),
}

/// How a [`Match`](Flow::Match) was written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatchForm {
    /// `match`.
    Match,
    /// `if let … else …`: two arms, the second with a wildcard.
    IfLet,
}

/// An arm of a `match`.
pub(crate) struct Arm {
    /// What it matches.
    pub(crate) pat: Pat,
    /// `if guard`.
    pub(crate) guard: Option<Expr>,
    /// Its value.
    pub(crate) body: Expr,
}

/// What a `for` loop of device code runs over: `(start..end).rev().step_by(k)`.
pub(crate) struct LoopRange {
    /// First value.
    pub(crate) start: Expr,
    /// End, exclusive or inclusive.
    pub(crate) end: Expr,
    /// `..=`.
    pub(crate) inclusive: bool,
    /// In the order in which they were written.
    pub(crate) adaptors: Vec<Adaptor>,
}

/// A method on a range.
pub(crate) enum Adaptor {
    /// `.rev()`.
    Rev,
    /// `.step_by(step)`.
    StepBy { step: Box<Expr>, site: SiteId },
}

/// How control passes through a form. `analysis/cost.rs` and `analysis/effects.rs` know no more of it.
pub(crate) enum FlowShape<'a> {
    /// Through all parts, once.
    Straight,
    /// Through some parts, once.
    Branches,
    /// Through all parts; a `break` leads to its end.
    Labelled,
    /// Round its body, as often as a range says.
    Counted(&'a LoopRange, &'a Block),
    /// Round its body, as often as an array has elements.
    Elements,
    /// Round its body, maybe for ever.
    Endless,
    /// Out of something around it.
    Leaves,
}

impl Flow {
    /// How control passes through it.
    pub(crate) fn shape(&self) -> FlowShape<'_> {
        match self {
            Flow::Block(_) | Flow::Unsafe(_) => FlowShape::Straight,
            Flow::If { .. } | Flow::Match { .. } => FlowShape::Branches,
            Flow::Labelled { .. } => FlowShape::Labelled,
            Flow::For { range, body, .. } => FlowShape::Counted(range, body),
            Flow::ForEach { .. } => FlowShape::Elements,
            Flow::While { .. } | Flow::WhileLet { .. } | Flow::Loop { .. } => FlowShape::Endless,
            Flow::Break { .. } | Flow::Continue { .. } | Flow::Return(_) => FlowShape::Leaves,
        }
    }

    /// The direct children, in the order of their evaluation.
    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        fn maybe(expr: &Option<Box<Expr>>) -> impl Iterator<Item = Part<'_>> {
            expr.iter().map(|expr| Part::Expr(expr))
        }
        match self {
            Flow::Block(block)
            | Flow::Unsafe(block)
            | Flow::Labelled { body: block, .. }
            | Flow::Loop { body: block, .. } => vec![Part::Block(block)],
            Flow::If { cond, then, otherwise, .. } => {
                [Part::Expr(cond), Part::Block(then)].into_iter().chain(maybe(otherwise)).collect()
            }
            Flow::Match { scrutinee, arms, .. } => {
                let arms = arms.iter().flat_map(|arm| arm.guard.iter().chain([&arm.body]).map(Part::Expr));
                [Part::Expr(scrutinee)].into_iter().chain(arms).collect()
            }
            Flow::While { cond: head, body, .. }
            | Flow::WhileLet { scrutinee: head, body, .. }
            | Flow::ForEach { array: head, body, .. } => vec![Part::Expr(head), Part::Block(body)],
            Flow::For { range, body, .. } => {
                let steps = range.adaptors.iter().filter_map(|adaptor| match adaptor {
                    Adaptor::Rev => None,
                    Adaptor::StepBy { step, .. } => Some(&**step),
                });
                let ends = [&range.start, &range.end].into_iter().chain(steps).map(Part::Expr);
                ends.chain([Part::Block(body)]).collect()
            }
            Flow::Break { value, .. } | Flow::Return(value) => maybe(value).collect(),
            Flow::Continue { .. } => Vec::new(),
        }
    }

    /// The slot of the type of its value, where it may have one of its own. A block has that of the value in it.
    pub(crate) fn slot(&self) -> Option<SlotId> {
        match self {
            Flow::Labelled { slot, .. }
            | Flow::If { slot, .. }
            | Flow::Match { slot, .. }
            | Flow::Loop { slot, .. } => *slot,
            Flow::Block(_)
            | Flow::Unsafe(_)
            | Flow::While { .. }
            | Flow::WhileLet { .. }
            | Flow::For { .. }
            | Flow::ForEach { .. }
            | Flow::Break { .. }
            | Flow::Continue { .. }
            | Flow::Return(_) => None,
        }
    }
}
