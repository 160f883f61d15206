//! The code of a loop or of a device function, as the macro hands it to the runtime.

use std::collections::{BTreeMap, BTreeSet};

use super::{Body, Borrow, ElementOf, Expr, ExprId, ExprKind, LocalId, SiteId, SlotId, Tokens};
use crate::methods::Method;
use crate::ops::BinOp;

/// No tokens but those that C++ needs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bare;

impl Tokens for Bare {
    type Span = Line;
    type Name = String;
    /// As a name of C++.
    type Member = String;
    type Path = ();
    type Type = ();
    type Literal = ();
    type Words = ();
    type Len = ();
    type Const = ();
    type Label = ();
    type Lifetime = ();
    type Attribute = ();
    type Stream = ();
}

/// A line of the source.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    /// The number of the file, by which [`Decoded::files`] has its name.
    pub file: usize,
    /// From 1.
    pub line: u32,
}

/// The code of a loop or of a device function, as the runtime reads it from bytes.
pub struct Decoded<H> {
    /// What is around the body.
    pub head: H,
    /// The files of lines. One that has no name is that of the kernel or function.
    pub files: Vec<String>,
    /// The body, without its sites.
    pub body: Body<Bare>,
    /// What analyses have found in it. A device function has none where no launch decides anything
    /// for it.
    pub info: Option<Info>,
}

impl<H> Decoded<H> {
    /// Whether its C++ depends on what the launch has shown.
    pub fn differs(&self) -> bool {
        self.info.as_ref().is_some_and(|info| info.differs(&self.body))
    }
}

/// The code of a `par` loop.
pub type DecodedLoop = Decoded<LoopHead<Line>>;

/// The code of a device function.
pub type DecodedFunction = Decoded<FunctionHead>;

/// What is around the body of a `par` loop.
pub struct LoopHead<Span> {
    /// The `for` token.
    pub span: Span,
    /// The ranges, slowest first.
    pub dims: Vec<LoopDim>,
    /// Threads per block.
    pub block: u32,
    /// It is a loop over blocks.
    pub over_blocks: bool,
    /// Something in it can fail, or calls what can.
    pub can_fail: bool,
}

impl<Span> LoopHead<Span> {
    /// Whether the C++ depends on whether one grid runs all iterations.
    pub fn begins(&self) -> bool {
        self.dims.iter().any(|dim| dim.first.is_some())
    }
}

/// A range of a `par` loop.
pub struct LoopDim {
    /// The loop variable.
    pub var: LocalId,
    /// The first index, where the source has it as a literal: 0, or one that fits 32 bits as the
    /// arithmetic of indexes does.
    pub first: Option<u32>,
    /// It has a step.
    pub stepped: bool,
}

/// What is around the body of a device function.
pub struct FunctionHead {
    /// Its parameters: the first locals of the body.
    pub params: Vec<LocalId>,
    /// It is a method.
    pub method: bool,
    /// It returns a reference to a part of its receiver, and the slot is that of the part.
    pub projects: Option<Borrow>,
    /// The slot of the return type; `None` for `()`.
    pub output: Option<SlotId>,
}

/// What the analyses of a body have found that C++ depends on.
#[derive(Debug, Clone, Default)]
pub struct Info {
    /// The accesses whose checks are left to the launch.
    pub decided: BTreeSet<SiteId>,
    /// Variables that such accesses are indexed with.
    pub indexing: BTreeSet<LocalId>,
    /// Variables of inner loops and phases whose ends the launch knows.
    pub counted: BTreeSet<LocalId>,
    /// Variables of phases that have no more iterations than the block has threads.
    pub one_round: BTreeSet<LocalId>,
    /// Variables that are forms whose size the launch knows, and not just any number.
    pub plain: BTreeSet<LocalId>,
    /// The calls of functions that are told what the launch has shown, by slots: the arguments that
    /// the launch does not limit, as bits.
    pub calls: BTreeMap<SlotId, u64>,
    /// Comparisons in 32 bits, by slots: `true` where that may come before what stands left of its
    /// `&&`.
    pub compared: BTreeMap<SlotId, bool>,
    /// The accesses to shared arrays that are in bounds, in a loop over blocks.
    pub within: BTreeSet<SiteId>,
    /// The steps before which the threads of a block wait for each other.
    pub barriers: BTreeSet<ExprId>,
    /// Shared arrays that a phase fills before anything reads them.
    pub filled: BTreeSet<LocalId>,
    /// Arrays for which that holds if no number in these comparisons has wrapped.
    pub filled_unless_wrapped: BTreeMap<LocalId, BTreeSet<SlotId>>,
    /// What collectives use, by what each thread evaluates.
    pub rooms: BTreeMap<ExprId, Room>,
}

impl Info {
    /// Whether the C++ of the body depends on what the launch has shown: it has accesses to slices,
    /// or counts, compares or calls what is written in 32 bits.
    pub fn differs<S: Tokens>(&self, body: &Body<S>) -> bool {
        let Info { indexing, counted, calls, compared, filled_unless_wrapped, .. } = self;
        // The other fields are the same for every launch, or about accesses to slices.
        let is_access = |expr: &Expr<S>| {
            matches!(expr.kind, ExprKind::Index { .. } | ExprKind::Element { of: ElementOf::Slice, .. })
        };
        !indexing.is_empty()
            || !counted.is_empty()
            || !calls.is_empty()
            || !compared.is_empty()
            || !filled_unless_wrapped.is_empty()
            || body.block.any(&mut |expr| is_access(expr))
    }

    /// Whether the value of an expression is a form by its looks: then index arithmetic in 32 bits
    /// can make it, whose size the launch knows.
    pub fn is_plain<S: Tokens>(&self, expr: &Expr<S>) -> bool {
        match &expr.kind {
            ExprKind::Int { .. } | ExprKind::Captured(_) | ExprKind::Len(_) => true,
            ExprKind::Local(local) => self.plain.contains(local),
            ExprKind::Field { base, .. } => matches!(base.kind, ExprKind::Captured(_)) || self.is_plain(base),
            ExprKind::Binary {
                op: BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem, lhs, rhs, ..
            } => self.is_plain(lhs) && self.is_plain(rhs),
            ExprKind::Cast { operand, .. } => self.is_plain(operand),
            ExprKind::Call { callee, args } => {
                callee.known().is_some_and(Method::is_narrow) && args.iter().all(|arg| self.is_plain(arg))
            }
            ExprKind::Receiver { place, .. } => self.is_plain(place),
            _ => false,
        }
    }
}

/// The shared memory that a collective uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Its number.
    pub number: usize,
    /// Threads may still read there what the last collective has left.
    pub waits: bool,
}

impl Default for Room {
    /// The room of a collective of which nothing is known.
    fn default() -> Self {
        Room { number: 0, waits: true }
    }
}
