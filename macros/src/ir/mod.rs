//! The intermediate representation: what the parser found, with names resolved and spans kept.
//!
//! A kernel has two levels, and so has the IR. The **host part** stays tokens: ordinary Rust that
//! only rustc needs to understand. Where a `par` loop, a `stream_parallel!` or a call of a kernel
//! stood, the tokens hold a marker (see [`marker`]) that names an entry of [`Kernel::loops`],
//! [`Kernel::forks`] or [`Kernel::calls`]. The **device part**, the body of a loop or of a
//! `#[device]` function, is the tree of `anabranch_core::ir`, here with the tokens of the user. The
//! CPU twin ties each of its slots to a value, and rustc's inference fills it (see `cpu`).

mod function;
pub(crate) mod marker;
mod operator;

pub(crate) use anabranch_core::ir::{
    Access, AssignOp, BindingId, Borrow, CaptureId, CaptureKind, Check, CollectiveOp, ElementOf, ExprId, LocalId,
    LocalKind, LoopId, MatchForm, Measure, Phase, Receiver, SiteId, SlotId, Space, any_of, atomics, changes_memory,
    effects, jumps,
};
pub(crate) use anabranch_core::ops::{BinOp, CompareOp, UnOp};
pub(crate) use function::*;
pub(crate) use operator::*;

use std::collections::BTreeMap;
use std::ops::Range;

use anabranch_core::ir::Tokens;
use anabranch_core::ir::wire::Written;
use proc_macro2::{Ident, Literal, Span, TokenStream};

use crate::names;

/// The tokens of a user's source.
#[derive(Clone, Copy, Default)]
pub(crate) struct Syn;

impl Tokens for Syn {
    type Span = Span;
    type Name = Ident;
    type Member = syn::Member;
    type Path = syn::ExprPath;
    type Type = syn::Type;
    type Literal = Literal;
    type Words = syn::LitStr;
    type Len = syn::Expr;
    type Const = syn::ExprConst;
    type Label = syn::Label;
    type Lifetime = syn::Lifetime;
    type Attribute = syn::Attribute;
    type Stream = TokenStream;
}

impl Written for Syn {
    fn line(span: Span) -> (String, u32) {
        (names::file_name(span), names::place(span).0)
    }

    fn name(name: &Ident) -> String {
        name.to_string()
    }

    fn member(member: &syn::Member) -> String {
        names::member(member)
    }
}

/// The nodes of a tree with such tokens.
macro_rules! nodes {
    ($($Node:ident)*) => { $( pub(crate) type $Node = anabranch_core::ir::$Node<Syn>; )* };
    ($($Node:ident<'_>)*) => { $( pub(crate) type $Node<'a> = anabranch_core::ir::$Node<'a, Syn>; )* };
}
nodes!(Adaptor Arm Block Body Callee Capture ClosureParam Collective Expr ExprKind Flow Format List Local LoopRange
    Message Pat PatKind Site Slot Stmt);
nodes!(Head<'_> Part<'_> Shape<'_>);

/// A `#[kernel]` function.
pub(crate) struct Kernel {
    /// The launcher-to-be: attributes, visibility, name.
    pub(crate) header: Header,
    /// Its parameters, in order.
    pub(crate) params: Vec<Param>,
    /// The statements of the host part, with markers.
    pub(crate) host: TokenStream,
    /// Every `par` loop, in source order.
    pub(crate) loops: Vec<ParLoop>,
    /// Every run of adjacent loops that may be one.
    pub(crate) fused: Vec<Fused>,
    /// Every `stream_parallel!`, in source order.
    pub(crate) forks: Vec<Fork>,
    /// Every call of a kernel, in source order.
    pub(crate) calls: Vec<Call>,
    /// The structs of slices among the parameters.
    pub(crate) structs: Vec<Struct>,
    /// The host part's shape.
    pub(crate) plan: Vec<PlanNode>,
    /// The CPU may run several iterations in lock step.
    pub(crate) lanes: bool,
    /// The body of a library kernel. Then there is no host part, and what is in it is empty.
    pub(crate) library: Option<Library>,
}

impl Kernel {
    /// The `par` loops, and behind them those that are made of several.
    pub(crate) fn all_loops(&self) -> impl Iterator<Item = &ParLoop> {
        self.loops.iter().chain(self.fused.iter().map(|fused| &fused.par_loop))
    }
}

/// `#[kernel(library)]`: a body that is left to rustc.
pub(crate) struct Library {
    /// The first parameter, as the user wrote it.
    pub(crate) stream: syn::FnArg,
    /// What the body returns.
    pub(crate) output: syn::ReturnType,
    /// The body.
    pub(crate) block: Box<syn::Block>,
}

/// A call of a kernel in the host part.
pub(crate) struct Call {
    /// The last name of the path.
    pub(crate) span: Span,
    /// The call as the user wrote it, for plans.
    pub(crate) what: String,
    /// The called function.
    pub(crate) path: syn::Path,
    /// The parentheses of the arguments.
    pub(crate) parens: Span,
    /// The arguments, in order.
    pub(crate) args: Vec<Arg>,
    /// The views whose lengths are copied before the call: see
    /// [`length_of`](crate::names::length_of).
    pub(crate) lengths: Vec<Ident>,
}

/// An argument of such a call.
pub(crate) enum Arg {
    /// Host code.
    Value(TokenStream),
    /// A view of the caller, or a struct of them.
    Lend(Lend),
}

/// A view that is lent to a kernel.
pub(crate) struct Lend {
    /// Its name.
    pub(crate) name: Ident,
    /// `&mut`.
    pub(crate) writes: bool,
    /// The range of elements, as host code, if it is not the whole view.
    pub(crate) part: Option<TokenStream>,
    /// Of the name.
    pub(crate) span: Span,
}

/// What a function keeps of its declaration.
pub(crate) struct Header {
    /// `::anabranch`, or what `#[kernel(crate = path)]` says.
    pub(crate) krate: syn::Path,
    /// Doc comments and other attributes.
    pub(crate) attrs: Vec<syn::Attribute>,
    /// Visibility of the function and of the type beside it.
    pub(crate) vis: syn::Visibility,
    /// Its name.
    pub(crate) name: Ident,
    /// Its place in the file of its body. A macro that defines it may take its name from another
    /// file.
    pub(crate) place: Span,
    /// Type, const and lifetime parameters with their bounds.
    pub(crate) generics: syn::Generics,
}

/// A parameter of a kernel.
#[derive(Clone)]
pub(crate) struct Param {
    /// Lint attributes and the like.
    pub(crate) attrs: Vec<syn::Attribute>,
    /// `mut`, on a value.
    pub(crate) mutability: Option<syn::Token![mut]>,
    /// Its name.
    pub(crate) name: Ident,
    /// A buffer or a value.
    pub(crate) kind: ParamKind,
    /// The number of its own parameters, if it is a closure that device code can call.
    pub(crate) closure: Option<usize>,
}

/// What a parameter is.
#[derive(Clone)]
pub(crate) enum ParamKind {
    /// `&[elem]` or `&mut [elem]`, `&Grid<elem, 2>` or `&mut Grid<elem, 2>`: device memory.
    Slice {
        /// How the launcher's buffer is used.
        borrow: Borrow,
        /// The element type.
        elem: syn::Type,
        /// `Grid<elem, 2>`.
        grid: Option<GridType>,
    },
    /// A struct of slices, with the lifetime `'static`.
    Slices(syn::Type),
    /// Any other type: a host value, taken as it is.
    Value(syn::Type),
}

/// A struct of slices in a host part.
pub(crate) struct Struct {
    /// The parameter, or the variable of a struct in it.
    pub(crate) name: Ident,
    /// The variables that its views are in, and their places in the struct.
    pub(crate) views: Vec<(Ident, TokenStream)>,
}

impl Struct {
    /// Whether a variable is one of its views.
    pub(crate) fn has(&self, name: &Ident) -> bool {
        self.views.iter().any(|(view, _)| view == name)
    }
}

/// `Grid<elem, dims>`, as the user wrote it. rustc finds out whether it is the grid of this crate.
#[derive(Clone)]
pub(crate) struct GridType {
    /// The whole type.
    pub(crate) ty: Box<syn::Type>,
    /// The number of dimensions.
    pub(crate) dims: usize,
}

/// A `par` loop: a sub-kernel.
pub(crate) struct ParLoop {
    /// The `for` token.
    pub(crate) span: Span,
    /// `for i in par(0..n)`, for plans and comments.
    pub(crate) header: String,
    /// The variables of the host part's `for` loops around it, by name, with their first and last
    /// values as far as these are known.
    pub(crate) counters: BTreeMap<String, [i64; 2]>,
    /// The label that `continue` in an inner loop can name.
    pub(crate) label: Option<syn::Label>,
    /// Label of the innermost group around it.
    pub(crate) group: Option<String>,
    /// The ranges, slowest first.
    pub(crate) dims: Vec<Dim>,
    /// Threads per block.
    pub(crate) block: u32,
    /// Of a loop over blocks: its threads by dimensions, slowest first.
    pub(crate) shape: Option<Vec<u32>>,
    /// What an iteration does. Its locals begin with the loop variables, one a range.
    pub(crate) body: Body,
}

/// Adjacent loops that may be one kernel.
pub(crate) struct Fused {
    /// A loop with their bodies.
    pub(crate) par_loop: ParLoop,
    /// The places in [`Kernel::loops`] of those whose ranges must be equal.
    pub(crate) alike: Range<usize>,
    /// The ranges of a reduction behind them, which must be equal, too.
    pub(crate) reduced: Option<TokenStream>,
    /// Host code that runs them one by one.
    pub(crate) apart: Vec<syn::Stmt>,
}

/// One range of a `par` loop, as host tokens.
pub(crate) struct Dim {
    /// The loop variable.
    pub(crate) var: LocalId,
    /// The range as the user wrote it, without its step.
    pub(crate) text: String,
    /// First value.
    pub(crate) start: TokenStream,
    /// End, exclusive or inclusive.
    pub(crate) end: TokenStream,
    /// `..=`.
    pub(crate) inclusive: bool,
    /// `.step_by(step)`.
    pub(crate) step: Option<TokenStream>,
}

impl Dim {
    /// The number that an end or a step is, if it is nothing but a literal. What is computed with
    /// literals may overflow.
    pub(crate) fn literal(tokens: &TokenStream) -> Option<u128> {
        syn::parse2::<syn::LitInt>(tokens.clone()).ok()?.base10_parse().ok()
    }
}

/// A `stream_parallel!`.
pub(crate) struct Fork {
    /// The macro's name.
    pub(crate) span: Span,
    /// Its groups, in order; at least one.
    pub(crate) groups: Vec<Group>,
}

/// A group of a `stream_parallel!`.
pub(crate) struct Group {
    /// The label without its apostrophe.
    pub(crate) label: Option<String>,
    /// The label or the opening brace.
    pub(crate) span: Span,
    /// Its host statements, with markers.
    pub(crate) host: TokenStream,
    /// The outer views it uses, each once, in order of first use.
    pub(crate) views: Vec<ViewUse>,
}

impl Group {
    /// Whether it uses an outer view of this name.
    pub(crate) fn uses(&self, name: &Ident) -> bool {
        self.views.iter().any(|view| view.name == *name)
    }
}

/// How a group uses a view that was made outside it.
pub(crate) struct ViewUse {
    /// Identity of the view, whatever it is called.
    pub(crate) binding: BindingId,
    /// Its name at the fork.
    pub(crate) name: Ident,
    /// The strongest use.
    pub(crate) access: Access,
    /// Where that use is.
    pub(crate) span: Span,
}

/// The host part's shape, for [`Plan`].
pub(crate) enum PlanNode {
    /// A loop, by its place in [`Kernel::loops`].
    Loop(usize),
    /// A fork, by its place in [`Kernel::forks`], and what its groups hold.
    Fork(usize, Vec<Vec<PlanNode>>),
    /// A call of a kernel, by its place in [`Kernel::calls`].
    Call(usize),
    /// Control flow around loops, as the user wrote it.
    Host {
        /// `for sweep in 0..k`.
        what: String,
        /// Where.
        span: Span,
        /// Its contents.
        nodes: Vec<PlanNode>,
    },
}
