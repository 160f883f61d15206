//! The intermediate representation: what the parser found, with names resolved and spans kept.
//!
//! A kernel has two levels, and so has the IR. The **host part** stays tokens: ordinary Rust that only rustc needs to
//! understand. Where a `par` loop or a `stream_parallel!` stood, the tokens hold a marker (see [`marker`]) that names an
//! entry of [`Kernel::loops`] or [`Kernel::forks`]. The **device part**, the body of a loop or of a `#[device]`
//! function, is a tree of [`Expr`] in which every name is a [`LocalId`] or a [`CaptureId`].
//!
//! A macro sees tokens, not types. Wherever C++ must spell a type the tree holds a [`SlotId`]; the CPU twin ties the
//! slot to the value, and rustc's inference fills it (see `cpu`).

pub(crate) mod marker;
pub(crate) mod methods;

use proc_macro2::{Ident, Literal, Span, TokenStream};

use methods::Method;

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
    /// Every `stream_parallel!`, in source order.
    pub(crate) forks: Vec<Fork>,
    /// The host part's shape.
    pub(crate) plan: Vec<PlanNode>,
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
}

/// A parameter of a kernel.
pub(crate) struct Param {
    /// Lint attributes and the like.
    pub(crate) attrs: Vec<syn::Attribute>,
    /// `mut`, on a value.
    pub(crate) mutability: Option<syn::Token![mut]>,
    /// Its name.
    pub(crate) name: Ident,
    /// A buffer or a value.
    pub(crate) kind: ParamKind,
}

/// What a parameter is.
pub(crate) enum ParamKind {
    /// `&[elem]` or `&mut [elem]`: device memory.
    Slice {
        /// `&mut`.
        mutable: bool,
        /// The element type.
        elem: syn::Type,
    },
    /// Any other type: a host value, taken as it is.
    Value(syn::Type),
}

/// A `par` loop: a sub-kernel.
pub(crate) struct ParLoop {
    /// The `for` token.
    pub(crate) span: Span,
    /// `for i in par(0..n)`, for plans and comments.
    pub(crate) header: String,
    /// The label that `continue` in an inner loop can name.
    pub(crate) label: Option<syn::Label>,
    /// Label of the innermost group around it.
    pub(crate) group: Option<String>,
    /// The ranges, slowest first.
    pub(crate) dims: Vec<Dim>,
    /// Threads per block.
    pub(crate) block: u32,
    /// What an iteration does. Its locals begin with the loop variables, one a range.
    pub(crate) body: Body,
}

/// One range of a `par` loop, as host tokens.
pub(crate) struct Dim {
    /// The loop variable.
    pub(crate) var: LocalId,
    /// First value.
    pub(crate) start: TokenStream,
    /// End, exclusive or inclusive.
    pub(crate) end: TokenStream,
    /// `..=`.
    pub(crate) inclusive: bool,
    /// `.step_by(step)`.
    pub(crate) step: Option<TokenStream>,
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

/// How a group uses a view that was made outside it.
pub(crate) struct ViewUse {
    /// Identity of the view, whatever it is called.
    pub(crate) binding: BindingId,
    /// Its name at the fork.
    pub(crate) name: Ident,
    /// The strongest use.
    pub(crate) access: Access,
    /// Where that use stands.
    pub(crate) span: Span,
}

/// How a view is used, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Access {
    /// Only its length, which nobody can change.
    Shape,
    /// Elements are read.
    Read,
    /// Elements are written, and maybe read.
    Write,
}

/// The host part's shape, for [`Plan`].
pub(crate) enum PlanNode {
    /// A loop, by its place in [`Kernel::loops`].
    Loop(usize),
    /// A fork, by its place in [`Kernel::forks`], and what its groups hold.
    Fork(usize, Vec<Vec<PlanNode>>),
    /// Control flow around loops, as the user wrote it.
    Host {
        /// `for sweep in 0..k`.
        what: String,
        /// Where.
        span: Span,
        /// What stands in it.
        nodes: Vec<PlanNode>,
    },
}

/// Identity of a name bound in the host part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BindingId(pub(crate) usize);

/// A `#[device]` function.
pub(crate) struct DeviceFn {
    /// Attributes, visibility, name.
    pub(crate) header: Header,
    /// Its parameters: the first locals of the body, with their types.
    pub(crate) params: Vec<(LocalId, syn::Type)>,
    /// The return type, with its slot; `None` for `()`.
    pub(crate) output: Option<(SlotId, syn::Type)>,
    /// What it does.
    pub(crate) body: Body,
}

/// Device code: a tree and the tables its ids point into.
#[derive(Default)]
pub(crate) struct Body {
    /// The statements.
    pub(crate) block: Block,
    /// Every `let`, parameter and loop variable.
    pub(crate) locals: Vec<Local>,
    /// What the body uses of the host part.
    pub(crate) captures: Vec<Capture>,
    /// Holes for types and functions.
    pub(crate) slots: Vec<Slot>,
    /// Where a check can fail at run time.
    pub(crate) sites: Vec<Site>,
    /// Number of loops in the body, the `par` loop being number 0.
    pub(crate) loops: usize,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident => $table:ident: $row:ty;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub(crate) struct $id(pub(crate) usize);
        impl std::ops::Index<$id> for Body {
            type Output = $row;
            fn index(&self, id: $id) -> &$row { &self.$table[id.0] }
        }
        impl Body {
            /// Adds a row to the table that this id points into.
            pub(crate) fn $table(&mut self, row: $row) -> $id { self.$table.push(row); $id(self.$table.len() - 1) }
        }
    )* };
}
ids! {
    /// Place in [`Body::locals`].
    LocalId => locals: Local;
    /// Place in [`Body::captures`].
    CaptureId => captures: Capture;
    /// Place in [`Body::slots`].
    SlotId => slots: Slot;
    /// Place in [`Body::sites`].
    SiteId => sites: Site;
}

/// A loop of a body; 0 is the `par` loop itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LoopId(pub(crate) usize);

/// A variable of device code.
pub(crate) struct Local {
    /// The user's name. Shadowed names are different locals.
    pub(crate) name: Ident,
    /// `mut`.
    pub(crate) mutable: bool,
    /// Its type.
    pub(crate) slot: SlotId,
}

/// A host name that a body uses.
pub(crate) struct Capture {
    /// The name.
    pub(crate) name: Ident,
    /// A view or a value.
    pub(crate) kind: CaptureKind,
}

/// What a captured name is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CaptureKind {
    /// A view of device memory and how it is used.
    View(BindingId, Access),
    /// A scalar, by value.
    Value,
}

/// A hole for what only rustc knows.
pub(crate) enum Slot {
    /// A type that inference finds.
    Inferred,
    /// A type that the user wrote.
    Written(Box<syn::Type>),
    /// A called `#[device]` function.
    Function,
}

/// A place whose check can fail.
pub(crate) struct Site {
    /// Where.
    pub(crate) span: Span,
    /// What is checked.
    pub(crate) check: Check,
}

/// Mirrors `anabranch::private::kernel::Check`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Check {
    /// An index against a length.
    Index,
    /// A divisor.
    Div,
    /// A divisor of a remainder.
    Rem,
    /// `lo <= hi`.
    Clamp,
    /// The argument and the base of a logarithm.
    Log,
    /// A condition whose failure has these words.
    Message(std::borrow::Cow<'static, str>),
}

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
    /// `let local: ty = init;`
    Let {
        /// The new local.
        local: LocalId,
        /// A type the user wrote.
        ty: Option<Box<syn::Type>>,
        /// Its first value.
        init: Expr,
    },
    /// An expression whose value nobody uses.
    Expr(Expr),
}

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
    /// A host scalar.
    Captured(CaptureId),
    /// `view[index]`.
    Index { view: CaptureId, index: Box<Expr>, site: SiteId },
    /// `view.len()`.
    Len(CaptureId),
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
    /// `x.min(y)`; the receiver is the first argument.
    Method { method: &'static Method, args: Vec<Expr>, site: Option<SiteId> },
    /// `T::from(x)`, `f32::from_bits(x)`.
    Associated { ty: syn::Type, name: Ident, arg: Box<Expr>, slot: SlotId },
    /// A call of a `#[device]` function.
    Call { path: syn::Path, args: Vec<Expr>, slot: SlotId },
    /// `{ … }`.
    Block(Block),
    /// `if`; `slot` is the type of its value where it has one.
    If { cond: Box<Expr>, then: Block, otherwise: Option<Box<Expr>>, slot: Option<SlotId> },
    /// `while`.
    While { id: LoopId, label: Option<syn::Label>, cond: Box<Expr>, body: Block },
    /// `loop`; `slot` is the type of its value where it has one.
    Loop { id: LoopId, label: Option<syn::Label>, body: Block, slot: Option<SlotId> },
    /// `for var in start..end`.
    For {
        id: LoopId,
        label: Option<syn::Label>,
        var: LocalId,
        start: Box<Expr>,
        end: Box<Expr>,
        inclusive: bool,
        body: Block,
    },
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

/// Mirrors `anabranch::private::kernel::UnOp`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UnOp {
    Neg,
    Not,
}

/// Mirrors `anabranch::private::kernel::BinOp`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
}

/// The comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}
