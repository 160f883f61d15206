//! Expressions and patterns of device code.

use std::sync::atomic::{AtomicU64, Ordering};

use proc_macro2::{Ident, Literal, Span, TokenStream};
use syn::Member;

use super::atomics::AtomicOp;
use super::{Block, Borrow, CaptureId, Collective, Flow, LocalId, Shape, SiteId, SlotId, Stmt};
use anabranch_core::methods::Method;
pub(crate) use anabranch_core::ops::{BinOp, CompareOp, UnOp};
use anabranch_core::output::Output;

/// An expression with the span of its smallest telling token.
pub(crate) struct Expr {
    /// Its key in the tables of analyses.
    pub(crate) id: ExprId,
    /// Of the operator, the method's name, or the whole.
    pub(crate) span: Span,
    /// What it is.
    pub(crate) kind: ExprKind,
}

/// The number of an expression, which no other one has in this process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct ExprId(u64);

/// What an expression does. Children are in the order in which Rust evaluates them, unless a comment says otherwise.
pub(crate) enum ExprKind {
    /// `2`, `2u8`: decimal digits for C++, the user's token for Rust.
    Int { token: Literal, digits: String, slot: SlotId },
    /// `2.0`, `1e3f32`.
    Float { token: Literal, digits: String, slot: SlotId },
    /// `true`.
    Bool(bool),
    /// The words of `expect`, which C++ does not need.
    Words(syn::LitStr),
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
    /// `const { AtomicU32::new(0) }`: what the atomics of an array begin with, which is a value of a [`Repeat`](Self::Repeat).
    FirstAtomic { value: Box<syn::ExprConst>, slot: SlotId },
    /// `view[index]`. Of a grid the index is an array, and each dimension has a site: this one and those after it.
    Index { view: CaptureId, index: Box<Expr>, site: SiteId },
    /// In a phase, the value of the thread: one of those that all threads have.
    Own { all: LocalId, thread: LocalId },
    /// `base[index]` of an array or a user type, or of a slice or grid that is a parameter.
    Element { base: Box<Expr>, index: Box<Expr>, of: ElementOf, site: SiteId },
    /// `T { a: x, ..base }`, and `T(x)` of a tuple struct or variant, which is `called`.
    Struct {
        path: Box<syn::ExprPath>,
        fields: Vec<(Member, Expr)>,
        base: Option<Box<Expr>>,
        called: bool,
        slot: SlotId,
    },
    /// `base.field`, `base.0`.
    Field { base: Box<Expr>, member: Member },
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
    /// `base.len()` and the like of an array, or of a slice or grid that is a parameter.
    Measure { base: Box<Expr>, what: Measure },
    /// `-x`, `!x`.
    Unary { op: UnOp, operand: Box<Expr>, slot: SlotId },
    /// Arithmetic, bit operations, shifts; `slot` is the type of the result, `site` there for `/` and `%`.
    Binary { op: BinOp, lhs: Box<Expr>, rhs: Box<Expr>, slot: SlotId, site: Option<SiteId> },
    /// `== != < <= > >=`.
    Compare { op: CompareOp, lhs: Box<Expr>, rhs: Box<Expr>, slot: SlotId },
    /// `&&`, `||`: the right side runs only if the left does not decide.
    Logic { and: bool, lhs: Box<Expr>, rhs: Box<Expr> },
    /// An element that is converted: how large it may be, its type says, which is in the slot.
    Loaded { element: Box<Expr>, slot: SlotId },
    /// `x as T`. In generic code that is `x.cast::<T>()`, which has no `ty`.
    Cast { operand: Box<Expr>, ty: Option<Box<syn::Type>>, slot: SlotId },
    /// A call. The receiver of a method is its first argument.
    Call { callee: Callee, args: Vec<Expr> },
    /// The receiver of a method that rustc finds, borrowed as the method declares. The slot is that of the method; a method with a
    /// `std_name` does not change its receiver. One of std's changes it if it is called as one that is `changing`. One that is `lent` can only be
    /// read.
    Receiver { place: Box<Expr>, slot: SlotId, std_name: bool, changing: bool, lent: bool },
    /// `block.sum(own)`: of all threads.
    Collective(Collective),
    /// `|t| t * k`. The slot has the type of its result.
    Closure { params: Vec<ClosureParam>, output: Option<Box<syn::Type>>, body: Block, result: SlotId },
    /// `panic!("message")`.
    Panic { message: Message, site: SiteId },
    /// `println!("{x}")` and the like.
    Print { output: Output, format: Format, site: SiteId },
    /// `assert!(cond)`; without a site it is never checked (`debug_assert!`).
    Assert { cond: Box<Expr>, check: Option<(String, SiteId)> },
    /// `place = value`, or `place += value` with an operator: the value first, then the place.
    Assign { place: Box<Expr>, value: Box<Expr>, op: Option<AssignOp> },
    /// Control flow; `slot` is the type of its value, where somebody uses it. A block has none: the type is that of the value in it.
    Flow { flow: Flow, slot: Option<SlotId> },
}

/// What a panic says.
pub(crate) enum Message {
    /// Always the same.
    Fixed(String),
    /// Something about values.
    Formatted(Format),
}

/// Values with the format string that makes a text of them. rustc checks it, and the host formats.
pub(crate) struct Format {
    /// The user's format string and its arguments, in which the values have their names.
    pub(crate) users: Option<TokenStream>,
    /// The values, in the order of their evaluation, with their names in the arguments.
    pub(crate) values: Vec<(Ident, Expr)>,
    /// A format string around it: its arguments are the user's text, if there is one, and these values.
    pub(crate) around: Option<(String, Vec<Ident>)>,
    /// The types of the values, and what formats them.
    pub(crate) slot: SlotId,
}

impl Format {
    /// The values.
    pub(crate) fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.values.iter().map(|(_, value)| value)
    }
}

/// A parameter of a closure.
pub(crate) struct ClosureParam {
    /// A value, or a reference for reading.
    pub(crate) local: LocalId,
    /// Its type, if it is written.
    pub(crate) ty: Option<Box<syn::Type>>,
}

/// What is measured of elements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// `len()`
    Len,
    /// `is_empty()`
    IsEmpty,
    /// `shape()` of a grid
    Shape,
}

/// What an [`Element`](ExprKind::Element) is of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ElementOf {
    /// An array, or a user type with an index operator; what it is, the slot says.
    Value(SlotId),
    /// A slice that is a parameter.
    Slice,
    /// A grid that is a parameter: see [`Index`](ExprKind::Index).
    Grid,
}

/// The operator of a compound assignment; the slot has the place's type, or the device function that assigns.
#[derive(Clone, Copy)]
pub(crate) struct AssignOp {
    pub(crate) op: BinOp,
    pub(crate) slot: SlotId,
    /// There for `/` and `%`.
    pub(crate) site: Option<SiteId>,
}

/// What a [`Call`](ExprKind::Call) calls.
pub(crate) enum Callee {
    /// A method of numbers, by its name or through the type in the slot `owner`: `f32::min(x, y)`.
    Number { method: &'static Method, owner: Option<SlotId>, site: Option<SiteId> },
    /// A function of both preludes that makes a value of the slot's type from another one: `f64::from(x)`.
    Conversion { name: Ident, slot: SlotId },
    /// A method that rustc finds, of a user type or of std: `v.dot(w)`. If it is one of std's, it is the `known` one of this name, with its site.
    Method { name: Ident, known: Option<&'static Method>, generics: TokenStream, slot: SlotId, site: Option<SiteId> },
    /// A `#[device]` function, which may hide a variable of its name. The arguments are in these parentheses.
    Function { path: syn::ExprPath, slot: SlotId, hides: bool, parens: Span },
    /// An associated function: `T::dot(v, w)`. If it is a method of std, it can fail at the site.
    Associated { path: syn::ExprPath, slot: SlotId, site: Option<SiteId> },
    /// A closure that has a name.
    Closure(LocalId),
    /// An operation of an atomic, to which the first argument is a reference. A compare-and-exchange has a slot: its `result` is a `Result`.
    Atomic { op: &'static AtomicOp, orderings: Vec<syn::ExprPath>, result: Option<SlotId> },
}

impl Callee {
    /// The method of std that it is, if it is one of a value.
    pub(crate) fn known(&self) -> Option<&'static Method> {
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
    /// `LIMIT`, `f32::MAX`, and what has no fields: `None`, `Kind::Red`, a unit struct.
    Constant { path: syn::ExprPath, slot: SlotId },
    /// `lo..=hi`, `lo..`, `..hi`; the ends are numbers or constants.
    Range { lo: Option<Box<Pat>>, hi: Option<Box<Pat>>, inclusive: bool },
    /// `(a, b)`, `(a, .., z)`.
    Tuple(List),
    /// `[a, b]`, `[a, .., z]`.
    Array(List),
    /// `T { a, b: x, .. }`; `rest` says whether it ends in `..`.
    Struct { path: Box<syn::ExprPath>, fields: Vec<(Member, Pat)>, rest: bool, slot: SlotId },
    /// `T(a, b)`, `T(a, .., z)`.
    TupleStruct { path: Box<syn::ExprPath>, list: List, slot: SlotId },
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
            PatKind::Struct { fields, path: _, rest: _, slot: _ } => fields.iter().map(|(_, pat)| pat).collect(),
            PatKind::Tuple(list) | PatKind::Array(list) | PatKind::TupleStruct { list, path: _, slot: _ } => {
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

    /// Whether it is one of alternatives, or a pattern inside is.
    pub(crate) fn has_alternatives(&self) -> bool {
        matches!(self.kind, PatKind::Or(_)) || self.parts().into_iter().any(Pat::has_alternatives)
    }

    /// Whether it, or a pattern inside, names a constant, a struct or a variant.
    pub(crate) fn has_paths(&self) -> bool {
        let own = matches!(self.kind, PatKind::Constant { .. } | PatKind::Struct { .. } | PatKind::TupleStruct { .. });
        own || self.parts().into_iter().any(Pat::has_paths)
    }
}

/// A child of an expression.
#[derive(Clone, Copy)]
pub(crate) enum Part<'e> {
    /// An operand.
    Expr(&'e Expr),
    /// Statements.
    Block(&'e Block),
}

impl Expr {
    pub(crate) fn new(span: Span, kind: ExprKind) -> Expr {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Expr { id: ExprId(NEXT.fetch_add(1, Ordering::Relaxed)), span, kind }
    }

    /// Control flow, with the slot of its value.
    pub(crate) fn flow(span: Span, slot: Option<SlotId>, flow: Flow) -> Expr {
        Expr::new(span, ExprKind::Flow { flow, slot })
    }

    /// The variable that a place is a part of.
    pub(crate) fn root(&self) -> Option<LocalId> {
        match &self.kind {
            ExprKind::Local(local) | ExprKind::Own { all: local, .. } => Some(*local),
            ExprKind::Field { base, .. }
            | ExprKind::Element { base, .. }
            | ExprKind::Range { base, .. }
            | ExprKind::Deref(base) => base.root(),
            _ => None,
        }
    }

    /// The value of a literal of an integer.
    pub(crate) fn literal(&self) -> Option<u128> {
        match &self.kind {
            ExprKind::Int { digits, .. } => digits.parse().ok(),
            _ => None,
        }
    }

    /// The greatest number that an index can be if a literal limits it: a remainder, or the result of a mask. It is not less than 0, and no operator of
    /// a user type returns one.
    pub(crate) fn limit(&self) -> Option<u128> {
        match &self.kind {
            ExprKind::Binary { op: BinOp::Rem, rhs, .. } => rhs.literal()?.checked_sub(1),
            ExprKind::Binary { op: BinOp::And, lhs, rhs, .. } => rhs.literal().or_else(|| lhs.literal()),
            _ => None,
        }
    }

    /// Whether something holds of this expression or of one in it.
    pub(crate) fn any(&self, holds: &mut dyn FnMut(&Expr) -> bool) -> bool {
        holds(self) || any_part(self.parts(), holds)
    }

    /// Whether control may leave it, or a part of it, other than at its end.
    pub(crate) fn jumps(&self) -> bool {
        self.any(&mut |expr| expr.is_jump())
    }

    /// Whether it is a loop.
    pub(crate) fn is_loop(&self) -> bool {
        use Shape::{Counted, Phase, Round};
        matches!(&self.kind, ExprKind::Flow { flow, .. } if matches!(flow.shape(), Counted { .. } | Phase(_) | Round { .. }))
    }

    /// Whether it is a jump.
    pub(crate) fn is_jump(&self) -> bool {
        use Flow::{Break, Continue, Question, Return};
        matches!(
            &self.kind,
            ExprKind::Flow { flow: Break { .. } | Continue { .. } | Return { .. } | Question { .. }, .. }
        )
    }

    /// The direct children, in the order of their evaluation.
    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        let one = |e| vec![Part::Expr(e)];
        fn maybe(e: &Option<Box<Expr>>) -> Vec<Part<'_>> {
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

fn any_part(parts: Vec<Part<'_>>, holds: &mut dyn FnMut(&Expr) -> bool) -> bool {
    parts.into_iter().any(|part| part.any(holds))
}

impl Part<'_> {
    /// Whether something holds of an expression in it.
    pub(crate) fn any(self, holds: &mut dyn FnMut(&Expr) -> bool) -> bool {
        match self {
            Part::Expr(expr) => expr.any(holds),
            Part::Block(block) => block.any(holds),
        }
    }
}

impl Block {
    /// Whether something holds of an expression in it.
    pub(crate) fn any(&self, holds: &mut dyn FnMut(&Expr) -> bool) -> bool {
        any_part(self.parts(), holds)
    }

    /// Whether control may leave it, or a part of it, other than at its end.
    pub(crate) fn jumps(&self) -> bool {
        self.any(&mut |expr| expr.is_jump())
    }

    /// Whether items are declared in it, or in a part of it: there a name may mean something else than around it.
    pub(crate) fn has_items(&self) -> bool {
        fn in_part(part: Part<'_>) -> bool {
            match part {
                Part::Block(block) => block.has_items(),
                Part::Expr(expr) => expr.parts().into_iter().any(in_part),
            }
        }
        self.stmts.iter().any(|stmt| matches!(stmt, Stmt::Item(_))) || self.parts().into_iter().any(in_part)
    }

    /// The direct children, in the order of their evaluation.
    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        self.stmts.iter().flat_map(Stmt::parts).chain(self.value.iter().map(|value| Part::Expr(value))).collect()
    }
}

impl Stmt {
    /// The same of a statement.
    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        match self {
            Stmt::Let { init, otherwise, .. } => {
                [Part::Expr(init)].into_iter().chain(otherwise.iter().map(Part::Block)).collect()
            }
            Stmt::Expr(expr) => vec![Part::Expr(expr)],
            Stmt::Declare { .. } | Stmt::Item(_) => Vec::new(),
        }
    }
}
