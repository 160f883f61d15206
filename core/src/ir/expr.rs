//! Expressions of device code.

use std::sync::atomic::{AtomicU64, Ordering};

use super::atomics::AtomicOp;
use super::{Block, Borrow, CaptureId, Collective, Flow, LocalId, SiteId, SlotId, Tokens};
use crate::methods::Method;
use crate::ops::{BinOp, CompareOp, UnOp};
use crate::output::Output;

/// An expression with the span of its smallest telling token.
pub struct Expr<S: Tokens> {
    /// Its key in the tables of analyses.
    pub id: ExprId,
    /// Of the operator, the method's name, or the whole.
    pub span: S::Span,
    /// What it is.
    pub kind: ExprKind<S>,
}

impl<S: Tokens> Expr<S> {
    pub fn new(span: S::Span, kind: ExprKind<S>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { id: ExprId(NEXT.fetch_add(1, Ordering::Relaxed)), span, kind }
    }

    /// Control flow, with the slot of its value.
    pub fn flow(span: S::Span, slot: Option<SlotId>, flow: Flow<S>) -> Self {
        Expr::new(span, ExprKind::Flow { flow, slot })
    }

    /// The variable that a place is a part of.
    pub fn root(&self) -> Option<LocalId> {
        match &self.kind {
            ExprKind::Local(local) | ExprKind::Own { all: local, .. } => Some(*local),
            ExprKind::Field { base, .. }
            | ExprKind::Element { base, .. }
            | ExprKind::Range { base, .. }
            | ExprKind::Deref(base) => base.root(),
            _ => None,
        }
    }

    /// Whether it names something that outlives the statement.
    pub fn is_place(&self) -> bool {
        match &self.kind {
            ExprKind::Local(_)
            | ExprKind::Own { .. }
            | ExprKind::Captured(_)
            | ExprKind::View { .. }
            | ExprKind::Index { .. }
            | ExprKind::Deref(_) => true,
            ExprKind::Element { base, .. } | ExprKind::Field { base, .. } | ExprKind::Range { base, .. } => {
                base.is_place()
            }
            _ => false,
        }
    }

    /// The value of a literal of an integer.
    pub fn literal(&self) -> Option<u128> {
        match &self.kind {
            ExprKind::Int { digits, .. } => digits.parse().ok(),
            _ => None,
        }
    }

    /// The greatest number that an index can be if a literal limits it: a remainder, or the result
    /// of a mask. It is not less than 0, and no operator of a user type returns one.
    pub fn limit(&self) -> Option<u128> {
        match &self.kind {
            ExprKind::Binary { op: BinOp::Rem, rhs, .. } => rhs.literal()?.checked_sub(1),
            ExprKind::Binary { op: BinOp::And, lhs, rhs, .. } => rhs.literal().or_else(|| lhs.literal()),
            _ => None,
        }
    }
}

/// The number of an expression, which no other one has in this process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ExprId(pub(super) u64);

/// What an expression does. Children are in the order in which Rust evaluates them, unless a
/// comment says otherwise.
pub enum ExprKind<S: Tokens> {
    /// `2`, `2u8`: decimal digits for C++, the user's token for Rust.
    Int { token: S::Literal, digits: String, slot: SlotId },
    /// `2.0`, `1e3f32`.
    Float { token: S::Literal, digits: String, slot: SlotId },
    /// `true`.
    Bool(bool),
    /// The words of `expect`, which C++ does not need.
    Words(S::Words),
    /// A variable.
    Local(LocalId),
    /// A host value.
    Captured(CaptureId),
    /// `f32::MAX`, `LIMIT`, `N`. What is spelled alike in one scope is one constant; the scope is
    /// the block of the body that declares a name of the path, 0 if none does.
    Constant { path: S::Path, slot: SlotId, scope: usize },
    /// `(a, b)`.
    Tuple { elems: Vec<Expr<S>>, slot: SlotId },
    /// `[a, b]`.
    Array { elems: Vec<Expr<S>>, slot: SlotId },
    /// `[value; len]`.
    Repeat { value: Box<Expr<S>>, len: S::Len, slot: SlotId },
    /// `const { AtomicU32::new(0) }`: what the atomics of an array begin with, which is a value of
    /// a [`Repeat`](Self::Repeat).
    FirstAtomic { value: Box<S::Const>, slot: SlotId },
    /// `view[index]`. Of a grid the index is an array, and each dimension has a site: this one and
    /// those after it.
    Index { view: CaptureId, index: Box<Expr<S>>, site: SiteId },
    /// In a phase, the value of the thread: one of those that all threads have.
    Own { all: LocalId, thread: LocalId },
    /// `base[index]` of an array or a user type, or of a slice or grid that is a parameter.
    Element { base: Box<Expr<S>>, index: Box<Expr<S>>, of: ElementOf, site: SiteId },
    /// `T { a: x, ..base }`, and `T(x)` of a tuple struct or variant, which is `called`.
    Struct {
        path: Box<S::Path>,
        fields: Vec<(S::Member, Expr<S>)>,
        base: Option<Box<Expr<S>>>,
        called: bool,
        slot: SlotId,
    },
    /// `base.field`, `base.0`.
    Field { base: Box<Expr<S>>, member: S::Member },
    /// `*reference`.
    Deref(Box<Expr<S>>),
    /// `&place`, `&mut place`: an argument of a device function.
    Reference { borrow: Borrow, place: Box<Expr<S>> },
    /// A whole view, under [`Reference`](Self::Reference).
    View { view: CaptureId },
    /// `base[start..end]`, under [`Reference`](Self::Reference).
    Range { base: Box<Expr<S>>, start: Option<Box<Expr<S>>>, end: Option<Box<Expr<S>>>, inclusive: bool, site: SiteId },
    /// `view.len()`.
    Len(CaptureId),
    /// `base.len()` and the like of an array, or of a slice or grid that is a parameter.
    Measure { base: Box<Expr<S>>, what: Measure },
    /// `-x`, `!x`.
    Unary { op: UnOp, operand: Box<Expr<S>>, slot: SlotId },
    /// Arithmetic, bit operations, shifts; `slot` is the type of the result, `site` there for `/`
    /// and `%`.
    Binary { op: BinOp, lhs: Box<Expr<S>>, rhs: Box<Expr<S>>, slot: SlotId, site: Option<SiteId> },
    /// `== != < <= > >=`.
    Compare { op: CompareOp, lhs: Box<Expr<S>>, rhs: Box<Expr<S>>, slot: SlotId },
    /// `&&`, `||`: the right side runs only if the left does not decide.
    Logic { and: bool, lhs: Box<Expr<S>>, rhs: Box<Expr<S>> },
    /// An element that is converted: how large it may be, its type says, which is in the slot.
    Loaded { element: Box<Expr<S>>, slot: SlotId },
    /// `x as T`. In generic code that is `x.cast::<T>()`, which has no `ty`.
    Cast { operand: Box<Expr<S>>, ty: Option<Box<S::Type>>, slot: SlotId },
    /// A call. The receiver of a method is its first argument.
    Call { callee: Callee<S>, args: Vec<Expr<S>> },
    /// The receiver of a method that rustc finds, borrowed as the method declares. The slot is that
    /// of the method; a method with a `std_name` does not change its receiver. One of std's changes
    /// it if it is called as one that is `changing`. One that is `lent` can only be read.
    Receiver { place: Box<Expr<S>>, slot: SlotId, std_name: bool, changing: bool, lent: bool },
    /// `block.sum(own)`: of all threads.
    Collective(Collective<S>),
    /// `|t| t * k`. The slot has the type of its result.
    Closure { params: Vec<ClosureParam<S>>, output: Option<Box<S::Type>>, body: Block<S>, result: SlotId },
    /// `panic!("message")`.
    Panic { message: Message<S>, site: SiteId },
    /// `println!("{x}")` and the like.
    Print { output: Output, format: Format<S>, site: SiteId },
    /// `assert!(cond)`; without a site it is never checked (`debug_assert!`).
    Assert { cond: Box<Expr<S>>, check: Option<(String, SiteId)> },
    /// `place = value`, or `place += value` with an operator: the value first, then the place.
    Assign { place: Box<Expr<S>>, value: Box<Expr<S>>, op: Option<AssignOp> },
    /// Control flow; `slot` is the type of its value, where somebody uses it. A block has none: the
    /// type is that of the value in it.
    Flow { flow: Flow<S>, slot: Option<SlotId> },
}

impl<S: Tokens> Expr<S> {
    /// The direct children, in the order of their evaluation.
    pub fn parts(&self) -> Vec<Part<'_, S>> {
        let one = |e| vec![Part::Expr(e)];
        fn maybe<S: Tokens>(e: &Option<Box<Expr<S>>>) -> Vec<Part<'_, S>> {
            e.iter().map(|e| Part::Expr(e)).collect()
        }
        match &self.kind {
            ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Bool(_)
            | ExprKind::Words(_)
            | ExprKind::Local(_)
            | ExprKind::Own { .. }
            | ExprKind::Captured(_)
            | ExprKind::Constant { .. }
            | ExprKind::FirstAtomic { .. }
            | ExprKind::View { .. }
            | ExprKind::Len(_)
            | ExprKind::Panic { message: Message::Fixed(_), .. } => Vec::new(),
            ExprKind::Panic { message: Message::Formatted(format), .. } | ExprKind::Print { format, .. } => {
                format.exprs().map(Part::Expr).collect()
            }
            ExprKind::Index { index: operand, .. }
            | ExprKind::Repeat { value: operand, .. }
            | ExprKind::Field { base: operand, .. }
            | ExprKind::Deref(operand)
            | ExprKind::Reference { place: operand, .. }
            | ExprKind::Receiver { place: operand, .. }
            | ExprKind::Measure { base: operand, .. }
            | ExprKind::Unary { operand, .. }
            | ExprKind::Loaded { element: operand, .. }
            | ExprKind::Cast { operand, .. }
            | ExprKind::Assert { cond: operand, .. } => one(operand),
            ExprKind::Element { base, index, .. } => vec![Part::Expr(base), Part::Expr(index)],
            ExprKind::Binary { lhs, rhs, .. }
            | ExprKind::Compare { lhs, rhs, .. }
            | ExprKind::Logic { lhs, rhs, .. } => {
                vec![Part::Expr(lhs), Part::Expr(rhs)]
            }
            ExprKind::Assign { place, value, .. } => {
                vec![Part::Expr(value), Part::Expr(place)]
            }
            ExprKind::Range { base, start, end, .. } => {
                one(base).into_iter().chain(maybe(start)).chain(maybe(end)).collect()
            }
            ExprKind::Tuple { elems: args, .. } | ExprKind::Array { elems: args, .. } | ExprKind::Call { args, .. } => {
                args.iter().map(Part::Expr).collect()
            }
            ExprKind::Struct { fields, base, .. } => {
                fields.iter().map(|(_, value)| Part::Expr(value)).chain(maybe(base)).collect()
            }
            ExprKind::Collective(Collective { own, of, .. }) => {
                one(own).into_iter().chain(of.iter().map(|(thread, _)| Part::Expr(thread))).collect()
            }
            ExprKind::Closure { body, .. } => vec![Part::Block(body)],
            ExprKind::Flow { flow, .. } => flow.shape().parts(),
        }
    }
}

/// A child of an expression.
#[derive(Clone, Copy)]
pub enum Part<'e, S: Tokens> {
    /// An operand.
    Expr(&'e Expr<S>),
    /// Statements.
    Block(&'e Block<S>),
}

/// What a panic says.
pub enum Message<S: Tokens> {
    /// Always the same.
    Fixed(String),
    /// Something about values.
    Formatted(Format<S>),
}

/// Values with the format string that makes a text of them. rustc checks it, and the host formats.
pub struct Format<S: Tokens> {
    /// The user's format string and its arguments, in which the values have their names.
    pub users: Option<S::Stream>,
    /// The values, in the order of their evaluation, with their names in the arguments.
    pub values: Vec<(S::Name, Expr<S>)>,
    /// A format string around it: its arguments are the user's text, if there is one, and these
    /// values.
    pub around: Option<(String, Vec<S::Name>)>,
    /// The types of the values, and what formats them.
    pub slot: SlotId,
}

impl<S: Tokens> Format<S> {
    /// The values.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr<S>> {
        self.values.iter().map(|(_, value)| value)
    }
}

/// A parameter of a closure.
pub struct ClosureParam<S: Tokens> {
    /// A value, or a reference for reading.
    pub local: LocalId,
    /// Its type, if it is written.
    pub ty: Option<Box<S::Type>>,
}

/// What is measured of elements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// `len()`
    Len,
    /// `is_empty()`
    IsEmpty,
    /// `shape()` of a grid
    Shape,
}

/// What an [`Element`](ExprKind::Element) is of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ElementOf {
    /// An array, or a user type with an index operator; what it is, the slot says.
    Value(SlotId),
    /// A slice that is a parameter.
    Slice,
    /// A grid that is a parameter: see [`Index`](ExprKind::Index).
    Grid,
}

/// The operator of a compound assignment; the slot has the place's type, or the device function
/// that assigns.
#[derive(Clone, Copy)]
pub struct AssignOp {
    pub op: BinOp,
    pub slot: SlotId,
    /// There for `/` and `%`.
    pub site: Option<SiteId>,
}

/// What a [`Call`](ExprKind::Call) calls.
pub enum Callee<S: Tokens> {
    /// A method of numbers, by its name or through the type in the slot `owner`: `f32::min(x, y)`.
    Number { method: &'static Method, owner: Option<SlotId>, site: Option<SiteId> },
    /// A function of both preludes that makes a value of the slot's type from another one:
    /// `f64::from(x)`.
    Conversion { name: S::Name, slot: SlotId },
    /// A method that rustc finds, of a user type or of std: `v.dot(w)`. If it is one of std's, it
    /// is the `known` one of this name, with its site.
    Method { name: S::Name, known: Option<&'static Method>, generics: S::Stream, slot: SlotId, site: Option<SiteId> },
    /// A `#[device]` function, which may hide a variable of its name. The arguments are in these
    /// parentheses.
    Function { path: S::Path, slot: SlotId, hides: bool, parens: S::Span },
    /// An associated function: `T::dot(v, w)`. If it is a method of std, it can fail at the site.
    /// The name is the path's last one.
    Associated { path: S::Path, name: S::Name, slot: SlotId, site: Option<SiteId> },
    /// A closure that has a name.
    Closure(LocalId),
    /// An operation of an atomic, to which the first argument is a reference. A
    /// compare-and-exchange has a slot: its `result` is a `Result`.
    Atomic { op: &'static AtomicOp, orderings: Vec<S::Path>, result: Option<SlotId> },
}

impl<S: Tokens> Callee<S> {
    /// The method of std that it is, if it is one of a value.
    pub fn known(&self) -> Option<&'static Method> {
        match self {
            Callee::Number { method, .. } | Callee::Method { known: Some(method), .. } => Some(method),
            Callee::Method { known: None, .. }
            | Callee::Conversion { .. }
            | Callee::Function { .. }
            | Callee::Associated { .. }
            | Callee::Closure(_)
            | Callee::Atomic { .. } => None,
        }
    }
}
