//! Expressions and patterns of device code.

use proc_macro2::{Ident, Literal, Span, TokenStream};

use super::atomics::AtomicOp;
use super::{Block, Borrow, CaptureId, LocalId, LoopId, SiteId, SlotId, Stmt};
use anabranch_core::methods::Method;
pub(crate) use anabranch_core::ops::{BinOp, CompareOp, UnOp};

/// An expression with the span of its smallest telling token.
pub(crate) struct Expr {
    /// Of the operator, the method's name, or the whole.
    pub(crate) span: Span,
    /// What it is.
    pub(crate) kind: ExprKind,
}

/// What an expression does. Children stand in the order in which Rust evaluates them unless said otherwise.
pub(crate) enum ExprKind {
    /// `2`, `2u8`: decimal digits for C++, the user's token for Rust.
    Int { token: Literal, digits: String, slot: SlotId },
    /// `2.0`, `1e3f32`.
    Float { token: Literal, digits: String, slot: SlotId },
    /// `true`.
    Bool(bool),
    /// A variable.
    Local(LocalId),
    /// A host value.
    Captured(CaptureId),
    /// `f32::MAX`, `LIMIT`, `N`. What is spelled alike in one scope is one constant; the scope is the block of the body that
    /// declares a name of the path, 0 if none does.
    Constant { path: syn::ExprPath, slot: SlotId, scope: usize },
    /// `(a, b)`.
    Tuple { elems: Vec<Expr>, slot: SlotId },
    /// `[a, b]`.
    Array { elems: Vec<Expr>, slot: SlotId },
    /// `[value; len]`.
    Repeat { value: Box<Expr>, len: syn::Expr, slot: SlotId },
    /// `view[index]`.
    Index { view: CaptureId, index: Box<Expr>, site: SiteId },
    /// `base[index]` of an array, or of a slice that is a parameter.
    Element { base: Box<Expr>, index: Box<Expr>, slice: bool, site: SiteId },
    /// `base.0`.
    Field { base: Box<Expr>, index: u32 },
    /// `*reference`.
    Deref(Box<Expr>),
    /// `&place`, `&mut place`: an argument of a device function.
    Reference { borrow: Borrow, place: Box<Expr> },
    /// A whole view, under [`Reference`](Self::Reference).
    View { view: CaptureId },
    /// `base[start..end]`, under [`Reference`](Self::Reference).
    Range { base: Box<Expr>, start: Option<Box<Expr>>, end: Option<Box<Expr>>, inclusive: bool, site: SiteId },
    /// `view.len()`.
    Len(CaptureId),
    /// `base.len()`, `base.is_empty()` of an array or slice.
    Length { base: Box<Expr>, empty: bool },
    /// `-x`, `!x`.
    Unary { op: UnOp, operand: Box<Expr>, slot: SlotId },
    /// Arithmetic, bit operations, shifts; `slot` is the type of the result, `site` there for `/` and `%`.
    Binary { op: BinOp, lhs: Box<Expr>, rhs: Box<Expr>, slot: SlotId, site: Option<SiteId> },
    /// `== != < <= > >=`.
    Compare { op: CompareOp, lhs: Box<Expr>, rhs: Box<Expr> },
    /// `&&`, `||`: the right side runs only if the left does not decide.
    Logic { and: bool, lhs: Box<Expr>, rhs: Box<Expr> },
    /// `x as T`.
    Cast { operand: Box<Expr>, ty: syn::Type, slot: SlotId },
    /// `x.cast()`, `x.cast::<T>()`: `as` in generic code.
    GenericCast { operand: Box<Expr>, slot: SlotId },
    /// `x.min(y)`, `f32::min(x, y)`; the receiver is the first argument. `owner` is the slot of the type that it is called through.
    Method { method: &'static Method, owner: Option<SlotId>, args: Vec<Expr>, site: Option<SiteId> },
    /// `cell.fetch_add(value, Relaxed)`; `cell` is a reference to the atomic. Of a compare-and-exchange only whether it
    /// `succeeds` is asked: `.is_ok()`, `.is_err()`.
    Atomic {
        op: &'static AtomicOp,
        cell: Box<Expr>,
        args: Vec<Expr>,
        orderings: Vec<syn::ExprPath>,
        succeeds: Option<bool>,
    },
    /// `T::from(x)`, `f32::from_bits(x)`.
    Associated { name: Ident, arg: Box<Expr>, slot: SlotId },
    /// A call of a `#[device]` function.
    Call { path: syn::Path, args: Vec<Expr>, slot: SlotId },
    /// `panic!("message")`.
    Panic { message: String, site: SiteId },
    /// `assert!(cond)`; without a site it is checked by nobody (`debug_assert!`).
    Assert { cond: Box<Expr>, check: Option<(String, SiteId)> },
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
    /// `place = value`: the value first, then the place.
    Assign { place: Box<Expr>, value: Box<Expr> },
    /// `place += value`: the value first, then the place.
    AssignOp { op: BinOp, place: Box<Expr>, value: Box<Expr>, slot: SlotId, site: Option<SiteId> },
    /// `break 'label value`.
    Break { id: LoopId, label: Option<syn::Lifetime>, value: Option<Box<Expr>> },
    /// `continue 'label`.
    Continue { id: LoopId, label: Option<syn::Lifetime> },
    /// `return value`, in a device function.
    Return(Option<Box<Expr>>),
}

/// How a [`Match`](ExprKind::Match) was written.
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

/// A pattern.
pub(crate) struct Pat {
    /// The whole pattern.
    pub(crate) span: Span,
    /// What it is.
    pub(crate) kind: PatKind,
}

/// What a pattern matches. Patterns read nothing but the value that they are matched with.
pub(crate) enum PatKind {
    /// `_`.
    Wild,
    /// `name`, `name @ sub`.
    Bind { local: LocalId, sub: Option<Box<Pat>> },
    /// `true`.
    Bool(bool),
    /// `5`, `-5`, `1.5`: the user's tokens for Rust, decimal digits with a sign for C++.
    Number { tokens: TokenStream, digits: String, float: bool },
    /// `LIMIT`, `f32::MAX`.
    Constant { path: syn::ExprPath, slot: SlotId },
    /// `lo..=hi`, `lo..`, `..hi`; the ends are numbers or constants.
    Range { lo: Option<Box<Pat>>, hi: Option<Box<Pat>>, inclusive: bool },
    /// `(a, b)`, `(a, .., z)`.
    Tuple(List),
    /// `[a, b]`, `[a, .., z]`.
    Array(List),
    /// `a | b`.
    Or(Vec<Pat>),
}

/// The parts of a tuple or array pattern.
pub(crate) struct List {
    /// From the first on.
    pub(crate) front: Vec<Pat>,
    /// Behind `..`, if there is one.
    pub(crate) back: Option<Vec<Pat>>,
}

impl Pat {
    /// The patterns right inside.
    pub(crate) fn parts(&self) -> Vec<&Pat> {
        match &self.kind {
            PatKind::Wild | PatKind::Bool(_) | PatKind::Number { .. } | PatKind::Constant { .. } => Vec::new(),
            PatKind::Bind { sub, local: _ } => sub.iter().map(|p| &**p).collect(),
            PatKind::Range { lo, hi, inclusive: _ } => lo.iter().chain(hi).map(|p| &**p).collect(),
            PatKind::Tuple(list) | PatKind::Array(list) => {
                list.front.iter().chain(list.back.iter().flatten()).collect()
            }
            PatKind::Or(pats) => pats.iter().collect(),
        }
    }

    /// The locals that it binds, each once, in order.
    pub(crate) fn locals(&self) -> Vec<LocalId> {
        let mut locals = Vec::new();
        if let PatKind::Bind { local, .. } = self.kind {
            locals.push(local);
        }
        for local in self.parts().into_iter().flat_map(Pat::locals) {
            if !locals.contains(&local) {
                locals.push(local);
            }
        }
        locals
    }

    /// The one local that it is, if it is nothing but a name.
    pub(crate) fn name(&self) -> Option<LocalId> {
        match self.kind {
            PatKind::Bind { local, sub: None } => Some(local),
            _ => None,
        }
    }

    /// The constants that it compares with.
    pub(crate) fn constants(&self) -> Vec<(&syn::ExprPath, SlotId)> {
        let own = match &self.kind {
            PatKind::Constant { path, slot } => Some((path, *slot)),
            _ => None,
        };
        own.into_iter().chain(self.parts().into_iter().flat_map(Pat::constants)).collect()
    }
}

/// A child of an expression.
pub(crate) enum Part<'e> {
    /// An operand.
    Expr(&'e Expr),
    /// Statements.
    Block(&'e Block),
}

impl Expr {
    /// What stands right inside, in the order in which it is evaluated.
    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        let one = |e| vec![Part::Expr(e)];
        fn maybe(e: &Option<Box<Expr>>) -> Vec<Part<'_>> {
            e.iter().map(|e| Part::Expr(e)).collect()
        }
        match &self.kind {
            ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Bool(_)
            | ExprKind::Local(_)
            | ExprKind::Captured(_)
            | ExprKind::Constant { .. }
            | ExprKind::View { .. }
            | ExprKind::Len(_)
            | ExprKind::Panic { .. }
            | ExprKind::Continue { .. } => Vec::new(),
            ExprKind::Index { index: operand, .. }
            | ExprKind::Repeat { value: operand, .. }
            | ExprKind::Field { base: operand, .. }
            | ExprKind::Deref(operand)
            | ExprKind::Reference { place: operand, .. }
            | ExprKind::Length { base: operand, .. }
            | ExprKind::Unary { operand, .. }
            | ExprKind::Cast { operand, .. }
            | ExprKind::GenericCast { operand, .. }
            | ExprKind::Associated { arg: operand, .. }
            | ExprKind::Assert { cond: operand, .. } => one(operand),
            ExprKind::Element { base, index, .. } => vec![Part::Expr(base), Part::Expr(index)],
            ExprKind::Binary { lhs, rhs, .. }
            | ExprKind::Compare { lhs, rhs, .. }
            | ExprKind::Logic { lhs, rhs, .. } => {
                vec![Part::Expr(lhs), Part::Expr(rhs)]
            }
            ExprKind::Assign { place, value } | ExprKind::AssignOp { place, value, .. } => {
                vec![Part::Expr(value), Part::Expr(place)]
            }
            ExprKind::Range { base, start, end, .. } => {
                one(base).into_iter().chain(maybe(start)).chain(maybe(end)).collect()
            }
            ExprKind::Tuple { elems: args, .. }
            | ExprKind::Array { elems: args, .. }
            | ExprKind::Method { args, .. }
            | ExprKind::Call { args, .. } => args.iter().map(Part::Expr).collect(),
            ExprKind::Atomic { cell, args, .. } => one(cell).into_iter().chain(args.iter().map(Part::Expr)).collect(),
            ExprKind::Block(block)
            | ExprKind::Unsafe(block)
            | ExprKind::Labelled { body: block, .. }
            | ExprKind::Loop { body: block, .. } => {
                vec![Part::Block(block)]
            }
            ExprKind::If { cond, then, otherwise, .. } => {
                [Part::Expr(cond), Part::Block(then)].into_iter().chain(maybe(otherwise)).collect()
            }
            ExprKind::Match { scrutinee, arms, .. } => {
                let arms = arms.iter().flat_map(|arm| arm.guard.iter().chain([&arm.body]).map(Part::Expr));
                one(scrutinee).into_iter().chain(arms).collect()
            }
            ExprKind::While { cond: head, body, .. }
            | ExprKind::WhileLet { scrutinee: head, body, .. }
            | ExprKind::ForEach { array: head, body, .. } => vec![Part::Expr(head), Part::Block(body)],
            ExprKind::For { range, body, .. } => {
                let steps = range.adaptors.iter().filter_map(|a| match a {
                    Adaptor::Rev => None,
                    Adaptor::StepBy { step, .. } => Some(&**step),
                });
                let ends = [&range.start, &range.end].into_iter().chain(steps).map(Part::Expr);
                ends.chain([Part::Block(body)]).collect()
            }
            ExprKind::Break { value, .. } | ExprKind::Return(value) => maybe(value),
        }
    }
}

impl Block {
    /// What stands right inside, in the order in which it is evaluated.
    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = Vec::new();
        for stmt in &self.stmts {
            match stmt {
                Stmt::Let { init, otherwise, .. } => {
                    parts.push(Part::Expr(init));
                    parts.extend(otherwise.iter().map(Part::Block));
                }
                Stmt::Expr(expr) => parts.push(Part::Expr(expr)),
                Stmt::Declare { .. } | Stmt::Item(_) => {}
            }
        }
        parts.extend(self.value.iter().map(|value| Part::Expr(value)));
        parts
    }
}
