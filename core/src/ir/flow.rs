//! Control flow: expressions that may run a part of themselves never or more than once, or that
//! jump.
//!
//! [`Flow`] says how a form is written, and [`Flow::shape`] how control passes through it. Only the
//! parser and the two outputs look at the form. All else looks at its shape, so that it needs no
//! word about a new form.

use std::ops::Range;

use super::{Expr, LocalId, Pat, SiteId, SlotId, Tokens};

/// What an expression that is control flow does. Children are in the order in which Rust evaluates
/// them.
pub enum Flow<S: Tokens> {
    /// `{ … }`.
    Block(Block<S>),
    /// `unsafe { … }`: the user answers for races of the accesses inside.
    Unsafe(Block<S>),
    /// `'label: { … }`.
    Labelled { id: LoopId, label: S::Label, body: Block<S> },
    /// `if`.
    If { cond: Box<Expr<S>>, then: Block<S>, otherwise: Option<Box<Expr<S>>> },
    /// `match`, and `if let`.
    Match { scrutinee: Box<Expr<S>>, arms: Vec<Arm<S>>, form: MatchForm },
    /// `while`.
    While { id: LoopId, label: Option<S::Label>, cond: Box<Expr<S>>, body: Block<S> },
    /// `while let`.
    WhileLet { id: LoopId, label: Option<S::Label>, pat: Pat<S>, scrutinee: Box<Expr<S>>, body: Block<S> },
    /// `loop`.
    Loop { id: LoopId, label: Option<S::Label>, body: Block<S> },
    /// `for var in range`.
    For { id: LoopId, label: Option<S::Label>, var: LocalId, range: Box<LoopRange<S>>, body: Block<S> },
    /// `for (y, x) in block.threads()`: loops in each other, whose innermost body is an iteration.
    Phase { phase: Phase, body: Block<S> },
    /// `for pat in array`.
    ForEach { id: LoopId, label: Option<S::Label>, pat: Pat<S>, array: Box<Expr<S>>, body: Block<S> },
    /// `break 'label value`.
    Break { id: LoopId, label: Option<S::Lifetime>, value: Option<Box<Expr<S>>> },
    /// `continue 'label`.
    Continue { id: LoopId, label: Option<S::Lifetime> },
    /// `return value`, in a device function.
    Return { value: Option<Box<Expr<S>>>, closure: bool },
    /// `value?`, in a device function. The slots have the types of the value and of the function's
    /// result.
    Question { value: Box<Expr<S>>, asked: SlotId, result: SlotId, conversion: SlotId, closure: bool },
}

/// A parallel loop over what the threads of a block do.
pub struct Phase {
    /// Its variables, slowest first. Their loops are in each other, in this order.
    pub vars: Vec<LocalId>,
    /// What the loops run over, where that is literal: from the first number, so many.
    pub literal: Option<Vec<(u64, u64)>>,
    /// The number of the thread that makes an iteration, if the body asks for it. Then the
    /// innermost body is a block of the user's statements.
    ///
    /// Iterations are numbered row by row, and number `i` is of thread `i % n`.
    pub thread: Option<LocalId>,
    /// The threads of the block, by dimensions.
    pub shape: Vec<u32>,
    /// Each thread makes one iteration: `block.threads()`.
    pub of_threads: bool,
    /// Of its innermost loop, which `continue` goes on with.
    pub id: LoopId,
    /// The sites of what can fail in an iteration.
    pub sites: Range<usize>,
    /// The slots of an iteration.
    pub slots: Range<usize>,
}

/// How a [`Match`](Flow::Match) was written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MatchForm {
    /// `match`.
    Match,
    /// `if let … else …`: two arms, the second with a wildcard.
    IfLet,
}

/// An arm of a `match`.
pub struct Arm<S: Tokens> {
    /// What it matches.
    pub pat: Pat<S>,
    /// `if guard`.
    pub guard: Option<Expr<S>>,
    /// Its value.
    pub body: Expr<S>,
}

/// What a `for` loop of device code runs over: `(start..end).rev().step_by(k)`.
pub struct LoopRange<S: Tokens> {
    /// First value.
    pub start: Expr<S>,
    /// End, exclusive or inclusive.
    pub end: Expr<S>,
    /// `..=`.
    pub inclusive: bool,
    /// In the order in which they were written.
    pub adaptors: Vec<Adaptor<S>>,
}

/// A method on a range.
pub enum Adaptor<S: Tokens> {
    /// `.rev()`.
    Rev,
    /// `.step_by(step)`.
    StepBy { step: Box<Expr<S>>, site: SiteId },
}

/// How control passes through a form: all that the analyses know of it.
#[derive(Clone, Copy)]
pub enum Shape<'a, S: Tokens> {
    /// Through a block, once. If it is `answered`, the user answers for races of the accesses
    /// inside.
    Straight { body: &'a Block<S>, answered: bool },
    /// Through the iterations of a phase, whose loops are in the block.
    Phase(&'a Block<S>),
    /// Through a block, or from a `break` in it to its end.
    Labelled(&'a Block<S>),
    /// Through one branch, or if there is no other one, maybe through none.
    If { cond: &'a Expr<S>, then: &'a Block<S>, otherwise: Option<&'a Expr<S>> },
    /// Through the first arm that matches, if one does.
    Match { scrutinee: &'a Expr<S>, arms: &'a [Arm<S>] },
    /// Round a body, as often as a range says.
    Counted { var: LocalId, range: &'a LoopRange<S>, body: &'a Block<S> },
    /// Round a body, as often as nothing here says. `ends` if that is not forever.
    Round { head: Head<'a, S>, body: &'a Block<S>, ends: bool },
    /// Out of something around it, with a value if there is one.
    Jump(Option<&'a Expr<S>>),
    /// Out of the function, or past the value.
    Question(&'a Expr<S>),
}

/// What happens before each round of a loop.
#[derive(Clone, Copy)]
pub enum Head<'a, S: Tokens> {
    /// Nothing.
    Empty,
    /// A condition ends the loop.
    Test(&'a Expr<S>),
    /// A pattern takes a value apart. The value may be evaluated for each round, or once before the
    /// first.
    Bind(&'a Pat<S>, &'a Expr<S>),
}

impl<S: Tokens> Flow<S> {
    /// What `break` and `continue` name it by.
    pub fn id(&self) -> Option<LoopId> {
        match self {
            Flow::Labelled { id, .. }
            | Flow::While { id, .. }
            | Flow::WhileLet { id, .. }
            | Flow::Loop { id, .. }
            | Flow::For { id, .. }
            | Flow::ForEach { id, .. } => Some(*id),
            Flow::Block(_)
            | Flow::Unsafe(_)
            | Flow::If { .. }
            | Flow::Match { .. }
            | Flow::Phase { .. }
            | Flow::Break { .. }
            | Flow::Continue { .. }
            | Flow::Return { .. }
            | Flow::Question { .. } => None,
        }
    }

    /// How control passes through it.
    pub fn shape(&self) -> Shape<'_, S> {
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

impl<S: Tokens> LoopRange<S> {
    /// Its ends and steps, in the order of their evaluation.
    pub fn operands(&self) -> Vec<&Expr<S>> {
        let steps = self.adaptors.iter().filter_map(|adaptor| match adaptor {
            Adaptor::Rev => None,
            Adaptor::StepBy { step, .. } => Some(&**step),
        });
        [&self.start, &self.end].into_iter().chain(steps).collect()
    }
}

/// A loop or labelled block of a body; 0 is the `par` loop itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub struct LoopId(pub usize);

/// `{ stmts; value }`.
#[derive(Default)]
pub struct Block<S: Tokens> {
    /// The statements.
    pub stmts: Vec<Stmt<S>>,
    /// The value, if the block ends in one.
    pub value: Option<Box<Expr<S>>>,
}

/// A statement.
pub enum Stmt<S: Tokens> {
    /// `let pat: ty = init;`, `let pat = init else { otherwise };`
    Let {
        /// The new locals.
        pat: Pat<S>,
        /// A type the user wrote.
        ty: Option<Box<S::Type>>,
        /// Their value.
        init: Expr<S>,
        /// Where the value does not match; does not come to its end.
        otherwise: Option<Block<S>>,
    },
    /// `let local: ty;`
    Declare {
        /// The name of the local.
        span: S::Span,
        /// The new local.
        local: LocalId,
        /// A type the user wrote.
        ty: Option<Box<S::Type>>,
    },
    /// An expression whose value is not used.
    Expr(Expr<S>),
    /// `const`, `use` and the like, for rustc alone.
    Item(S::Stream),
}
