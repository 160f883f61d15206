//! Control flow: expressions that may run a part of themselves never or more than once, or that jump.
//!
//! [`Flow`] says how a form is written, and [`Flow::shape`] how control passes through it. Only the parser and the two outputs
//! look at the form. All else looks at its shape, so that it needs no word about a new form.

use std::ops::Range;

use proc_macro2::TokenStream;

use super::{Expr, LocalId, Part, Pat, SiteId, SlotId};

/// What an expression that is control flow does. Children are in the order in which Rust evaluates them.
pub(crate) enum Flow {
    /// `{ … }`.
    Block(Block),
    /// `unsafe { … }`: the user answers for races of the accesses inside.
    Unsafe(Block),
    /// `'label: { … }`.
    Labelled { id: LoopId, label: syn::Label, body: Block },
    /// `if`.
    If { cond: Box<Expr>, then: Block, otherwise: Option<Box<Expr>> },
    /// `match`, and `if let`.
    Match { scrutinee: Box<Expr>, arms: Vec<Arm>, form: MatchForm },
    /// `while`.
    While { id: LoopId, label: Option<syn::Label>, cond: Box<Expr>, body: Block },
    /// `while let`.
    WhileLet { id: LoopId, label: Option<syn::Label>, pat: Pat, scrutinee: Box<Expr>, body: Block },
    /// `loop`.
    Loop { id: LoopId, label: Option<syn::Label>, body: Block },
    /// `for var in range`.
    For { id: LoopId, label: Option<syn::Label>, var: LocalId, range: Box<LoopRange>, body: Block },
    /// `for (y, x) in block.threads()`: loops in each other, whose innermost body is an iteration.
    Phase { phase: Phase, body: Block },
    /// `for pat in array`.
    ForEach { id: LoopId, label: Option<syn::Label>, pat: Pat, array: Box<Expr>, body: Block },
    /// `break 'label value`.
    Break { id: LoopId, label: Option<syn::Lifetime>, value: Option<Box<Expr>> },
    /// `continue 'label`.
    Continue { id: LoopId, label: Option<syn::Lifetime> },
    /// `return value`, in a device function.
    Return { value: Option<Box<Expr>>, closure: bool },
    /// `value?`, in a device function. The slots have the types of the value and of the function's result.
    Question { value: Box<Expr>, asked: SlotId, result: SlotId, conversion: SlotId, closure: bool },
}

/// A parallel loop over what the threads of a block do.
pub(crate) struct Phase {
    /// Its variables, slowest first. Their loops are in each other, in this order.
    pub(crate) vars: Vec<LocalId>,
    /// What the loops run over, where that is literal: from the first number, so many.
    pub(crate) literal: Option<Vec<(u64, u64)>>,
    /// The number of the thread that makes an iteration, if the body asks for it. Then the innermost body is a block of the user's statements.
    ///
    /// Iterations are numbered row by row, and number `i` is of thread `i % n`.
    pub(crate) thread: Option<LocalId>,
    /// The threads of the block, by dimensions.
    pub(crate) shape: Vec<u32>,
    /// Each thread makes one iteration: `block.threads()`.
    pub(crate) of_threads: bool,
    /// Of its innermost loop, which `continue` goes on with.
    pub(crate) id: LoopId,
    /// The sites of what can fail in an iteration.
    pub(crate) sites: Range<usize>,
    /// The slots of an iteration.
    pub(crate) slots: Range<usize>,
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

/// How control passes through a form: all that the analyses know of it.
#[derive(Clone, Copy)]
pub(crate) enum Shape<'a> {
    /// Through a block, once. If it is `answered`, the user answers for races of the accesses inside.
    Straight { body: &'a Block, answered: bool },
    /// Through the iterations of a phase, whose loops are in the block.
    Phase(&'a Block),
    /// Through a block, or from a `break` in it to its end.
    Labelled(&'a Block),
    /// Through one branch, or if there is no other one, maybe through none.
    If { cond: &'a Expr, then: &'a Block, otherwise: Option<&'a Expr> },
    /// Through the first arm that matches, if one does.
    Match { scrutinee: &'a Expr, arms: &'a [Arm] },
    /// Round a body, as often as a range says.
    Counted { var: LocalId, range: &'a LoopRange, body: &'a Block },
    /// Round a body, as often as nothing here says. `ends` if that is not forever.
    Round { head: Head<'a>, body: &'a Block, ends: bool },
    /// Out of something around it, with a value if there is one.
    Jump(Option<&'a Expr>),
    /// Out of the function, or past the value.
    Question(&'a Expr),
}

/// What happens before each round of a loop.
#[derive(Clone, Copy)]
pub(crate) enum Head<'a> {
    /// Nothing.
    Empty,
    /// A condition ends the loop.
    Test(&'a Expr),
    /// A pattern takes a value apart. The value may be evaluated for each round, or once before the first.
    Bind(&'a Pat, &'a Expr),
}

impl Flow {
    /// What `break` and `continue` name it by.
    pub(crate) fn id(&self) -> Option<LoopId> {
        match self {
            Flow::Labelled { id, .. }
            | Flow::While { id, .. }
            | Flow::WhileLet { id, .. }
            | Flow::Loop { id, .. }
            | Flow::For { id, .. }
            | Flow::ForEach { id, .. } => Some(*id),
            _ => None,
        }
    }

    /// How control passes through it.
    pub(crate) fn shape(&self) -> Shape<'_> {
        match self {
            Flow::Block(body) => Shape::Straight { body, answered: false },
            Flow::Unsafe(body) => Shape::Straight { body, answered: true },
            Flow::Phase { body, .. } => Shape::Phase(body),
            Flow::Labelled { body, .. } => Shape::Labelled(body),
            Flow::If { cond, then, otherwise } => Shape::If { cond, then, otherwise: otherwise.as_deref() },
            Flow::Match { scrutinee, arms, .. } => Shape::Match { scrutinee, arms },
            Flow::While { cond, body, .. } => Shape::Round { head: Head::Test(cond), body, ends: false },
            Flow::WhileLet { pat, scrutinee, body, .. } => {
                Shape::Round { head: Head::Bind(pat, scrutinee), body, ends: false }
            }
            Flow::Loop { body, .. } => Shape::Round { head: Head::Empty, body, ends: false },
            Flow::For { var, range, body, .. } => Shape::Counted { var: *var, range, body },
            Flow::ForEach { pat, array, body, .. } => Shape::Round { head: Head::Bind(pat, array), body, ends: true },
            Flow::Break { value, .. } | Flow::Return { value, .. } => Shape::Jump(value.as_deref()),
            Flow::Continue { .. } => Shape::Jump(None),
            Flow::Question { value, .. } => Shape::Question(value),
        }
    }
}

impl<'a> Shape<'a> {
    /// The direct children, in the order of their evaluation.
    pub(crate) fn parts(self) -> Vec<Part<'a>> {
        let value = |value: Option<&'a Expr>| value.into_iter().map(Part::Expr);
        match self {
            Shape::Straight { body, .. } | Shape::Phase(body) | Shape::Labelled(body) => vec![Part::Block(body)],
            Shape::If { cond, then, otherwise } => {
                [Part::Expr(cond), Part::Block(then)].into_iter().chain(value(otherwise)).collect()
            }
            Shape::Match { scrutinee, arms } => {
                let arms = arms.iter().flat_map(|arm| arm.guard.iter().chain([&arm.body]));
                [scrutinee].into_iter().chain(arms).map(Part::Expr).collect()
            }
            Shape::Counted { range, body, .. } => {
                range.operands().into_iter().map(Part::Expr).chain([Part::Block(body)]).collect()
            }
            Shape::Round { head, body, .. } => {
                let head = match head {
                    Head::Empty => None,
                    Head::Test(expr) | Head::Bind(_, expr) => Some(expr),
                };
                value(head).chain([Part::Block(body)]).collect()
            }
            Shape::Jump(with) => value(with).collect(),
            Shape::Question(asked) => vec![Part::Expr(asked)],
        }
    }
}

impl LoopRange {
    /// Its ends and steps, in the order of their evaluation.
    pub(crate) fn operands(&self) -> Vec<&Expr> {
        let steps = self.adaptors.iter().filter_map(|adaptor| match adaptor {
            Adaptor::Rev => None,
            Adaptor::StepBy { step, .. } => Some(&**step),
        });
        [&self.start, &self.end].into_iter().chain(steps).collect()
    }
}

/// A loop or labelled block of a body; 0 is the `par` loop itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub(crate) struct LoopId(pub(crate) usize);

/// `{ stmts; value }`.
#[derive(Default)]
pub(crate) struct Block {
    /// The statements.
    pub(crate) stmts: Vec<Stmt>,
    /// The value, if the block ends in one.
    pub(crate) value: Option<Box<Expr>>,
}

/// A statement.
pub(crate) enum Stmt {
    /// `let pat: ty = init;`, `let pat = init else { otherwise };`
    Let {
        /// The new locals.
        pat: Pat,
        /// A type the user wrote.
        ty: Option<Box<syn::Type>>,
        /// Their value.
        init: Expr,
        /// Where the value does not match; does not come to its end.
        otherwise: Option<Block>,
    },
    /// `let local: ty;`
    Declare {
        /// The new local.
        local: LocalId,
        /// A type the user wrote.
        ty: Option<Box<syn::Type>>,
    },
    /// An expression whose value is not used.
    Expr(Expr),
    /// `const`, `use` and the like, for rustc alone.
    Item(TokenStream),
}
