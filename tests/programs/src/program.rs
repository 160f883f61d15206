//! A program: a typed tree, which is printed, run on the machine, and made smaller.
//!
//! It is a kernel: a host part with `par` loops, and the functions that they call. A variable is a
//! place in one table, so that a program means the same however its names hide each other.

pub use crate::kind::{Arm, Collective, Expr, Kind};
use crate::types::{Bound, Ty};

/// Place in [`Program::vars`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct VarId(pub usize);

/// A kernel, and what it calls.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Its number in a run, which is in the names of its items.
    pub number: usize,
    /// Of the program and of its inputs.
    pub seed: u64,
    /// How its loops end, and what becomes of what they see.
    pub style: Style,
    /// It is printed with closures and the like in the place of plain operations.
    pub spelled: bool,
    /// Its loop is such that the CPU mostly runs it in lanes. Loops in it that count end by
    /// themselves.
    pub in_lanes: bool,
    /// Every variable: of the host part, of the loops, and of the functions.
    pub vars: Vec<Var>,
    /// The parameters of the kernel.
    pub params: Vec<VarId>,
    pub consts: Vec<Const>,
    /// Each calls only those before it.
    pub functions: Vec<Function>,
    pub host: Vec<Host>,
}

/// How loops end, and what becomes of what an iteration [observes](Stmt::Observe).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// Loops end by themselves. What is observed goes into a number of the iteration,
    /// [`Kind::Seen`], which it writes.
    #[default]
    Kernel,
    /// Loops burn fuel. What is observed goes into the iteration's element of `out`.
    Device,
}

#[derive(Clone, Debug)]
pub struct Var {
    /// Shadowed names are different variables.
    pub name: String,
    pub ty: Ty,
    pub mutable: bool,
    /// The number of references to its value, which is `*name` of a parameter `&T` and `**name` of
    /// a closure's `&&T`.
    pub references: usize,
    /// Of a buffer: its extents but the first, where it is a grid. An index of a grid is an array
    /// of components.
    pub minor: &'static [usize],
    /// Each thread of a block has its own: only a phase and the value of a collective see it.
    pub each: bool,
}

/// The extents of a grid with room for so many elements.
pub fn shape(len: usize, minor: &[usize]) -> Vec<usize> {
    [len / minor.iter().product::<usize>()].iter().chain(minor).copied().collect()
}

/// `const NAME: ty = value;`
#[derive(Clone, Debug)]
pub struct Const {
    pub name: String,
    pub value: Expr,
}

/// A `#[device]` function.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    /// `<T: Int>`
    pub generic: Option<Bound>,
    /// The type that it is a function of; a method where the first parameter is called `self`.
    pub owner: Option<Ty>,
    /// It is of a trait, which the owner has.
    pub of_trait: Option<InTrait>,
    pub params: Vec<Param>,
    pub output: Ty,
    pub body: Block,
}

/// What a trait says of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InTrait {
    /// Its type.
    Declared,
    /// A body that fails, which the `impl` overrides.
    Overridden,
    /// Its body.
    Default,
}

#[derive(Clone, Debug)]
pub struct Param {
    pub var: VarId,
    pub mode: Mode,
}

/// How a function takes an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Value,
    Ref,
    RefMut,
}

/// Statements of the host part.
#[derive(Clone, Debug)]
pub enum Host {
    Loop(Loop),
    /// `let value = expr;`
    Let(VarId, Expr),
    /// `let (low, high) = view.split_at_mut(at);`, or `split_at` for reading.
    Split {
        mutable: bool,
        view: VarId,
        at: Expr,
        low: VarId,
        high: VarId,
    },
    /// `let mut view = scratch(len);`
    Scratch(VarId, Expr),
    /// `for value in 0..count { … }`
    For(VarId, u8, Vec<Host>),
    /// `if cond { … }`
    If(Expr, Vec<Host>),
    /// `stream_parallel! { … }`
    Groups(Vec<Vec<Host>>),
    Reduction(Box<Reduction>),
    Pass(Box<Pass>),
}

/// `place = par(ranges).map(|indexes| value).sum();`
#[derive(Clone, Debug)]
pub struct Reduction {
    pub place: Expr,
    pub dims: Vec<Dim>,
    pub value: Block,
    pub operation: Operation,
}

/// What becomes of the values of a reduction.
#[derive(Clone, Debug)]
pub enum Operation {
    Named(Collective),
    /// `reduce(first, |a, b| value)`
    Reduce {
        first: Box<Expr>,
        pair: [VarId; 2],
        value: Box<Expr>,
    },
}

/// A `par` loop of a program with reductions: what an iteration observes goes into an element of
/// its own.
#[derive(Clone, Debug)]
pub struct Pass {
    pub dim: Dim,
    pub scan: Option<Scan>,
    pub body: Block,
    pub into: Expr,
}

/// `for (i, sum) in par(range).inclusive_sum(|index| value)`
#[derive(Clone, Debug)]
pub struct Scan {
    pub op: Collective,
    pub index: VarId,
    pub value: Block,
    pub sum: VarId,
}

/// A `par` loop, or a loop over blocks.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Its number among those of the kernel, in the order of the text.
    pub number: usize,
    pub dims: Vec<Dim>,
    pub block: Option<u32>,
    /// Of a loop over blocks: the shape of their threads, of one to three dimensions.
    pub threads: Option<Vec<usize>>,
    pub body: Block,
}

/// A variable of a `par` loop.
#[derive(Clone, Debug)]
pub struct Dim {
    pub var: VarId,
    pub range: Range,
}

/// `(start..end).rev().step_by(step)`.
#[derive(Clone, Debug)]
pub struct Range {
    pub start: Box<Expr>,
    pub end: Box<Expr>,
    pub inclusive: bool,
    pub adaptors: Vec<Adaptor>,
}

#[derive(Clone, Debug)]
pub enum Adaptor {
    Rev,
    StepBy(Expr),
}

#[derive(Clone, Debug, Default)]
pub struct Block {
    pub stmts: Vec<Stmt>,
    pub value: Option<Box<Expr>>,
}

#[derive(Clone, Debug)]
pub enum Stmt {
    /// `let pattern: ty = init else { otherwise };`
    Let {
        pattern: Pattern,
        ty: Option<Ty>,
        init: Option<Expr>,
        otherwise: Option<Block>,
    },
    Expr(Expr),
    /// `const NAME: T = value;`
    Const(VarId, Expr),
    /// Folds a value into the result of the iteration.
    Observe(Expr),
}

#[derive(Clone, Debug)]
pub enum Pattern {
    Wild,
    Bind {
        var: VarId,
        inner: Option<Box<Pattern>>,
    },
    /// A literal or a constant.
    Value(Box<Expr>),
    Range {
        start: Option<Box<Expr>>,
        end: Option<Box<Expr>>,
        inclusive: bool,
    },
    Tuple(Vec<Pattern>),
    Struct(Vec<Pattern>),
    /// Of the enum at this place of [`ENUMS`](crate::types::ENUMS), the variant with this number,
    /// and its field.
    Variant(usize, usize, Option<Box<Pattern>>),
    Array(Vec<Pattern>),
    Or(Vec<Pattern>),
}

impl Pattern {
    /// The variables that it binds.
    pub fn vars(&self) -> Vec<VarId> {
        match self {
            Self::Wild | Self::Value(_) | Self::Range { .. } => Vec::new(),
            Self::Bind { var, inner } => {
                let inside = inner.as_ref().map_or_else(Vec::new, |inner| inner.vars());
                [vec![*var], inside].concat()
            }
            Self::Variant(_, _, field) => field.as_ref().map_or_else(Vec::new, |field| field.vars()),
            Self::Tuple(parts) | Self::Struct(parts) | Self::Array(parts) | Self::Or(parts) => {
                parts.iter().flat_map(Self::vars).collect()
            }
        }
    }
}

/// A function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    /// By its place in [`Program::functions`].
    Own(usize),
    /// One that stands around every program.
    Around(Around),
}

/// Functions that stand around kernels, for what they touch through references.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Around {
    /// `get(&x)`: its value.
    Get,
    /// `set(&mut x, value)`
    Set,
    /// `sum(&x[a..b])`: of all elements, each by its place.
    Sum,
    /// `put(&mut x[a..b], value)`: a different value into each.
    Put,
    /// A number of which nothing is known, for programs that are not printed.
    Any,
    /// `turn(m)`, in host parts: a number below `m`, another one at each call.
    Turn,
    /// `cells[i].compare_exchange(expected, new, Relaxed, Relaxed)` of the iteration's own cell.
    Exchange,
    /// `cells[i].load(Relaxed)`
    Load,
}

/// `[start..end]`
#[derive(Clone, Debug)]
pub struct Part {
    pub start: Option<Expr>,
    pub end: Option<Expr>,
    pub inclusive: bool,
}

impl Program {
    /// Whether a function has a receiver.
    pub fn is_method(&self, function: &Function) -> bool {
        function.params.first().is_some_and(|param| self.vars[param.var.0].name == "self")
    }

    pub fn ty(&self, var: VarId) -> &Ty {
        &self.vars[var.0].ty
    }

    pub fn name(&self, var: VarId) -> &str {
        &self.vars[var.0].name
    }

    /// A variable as an expression.
    pub fn var(&self, var: VarId) -> Expr {
        Expr::new(self.ty(var).clone(), Kind::Var(var))
    }

    /// Adds a variable.
    pub fn declare(&mut self, name: impl Into<String>, ty: impl Into<Ty>, mutable: bool) -> VarId {
        self.vars.push(Var { name: name.into(), ty: ty.into(), mutable, references: 0, minor: &[], each: false });
        VarId(self.vars.len() - 1)
    }

    /// Those of its parameters that are slices, or that are not.
    fn params(&self, slices: bool) -> impl Iterator<Item = VarId> + Clone + '_ {
        self.params.iter().copied().filter(move |var| matches!(self.ty(*var), Ty::Slice(_)) == slices)
    }

    pub fn buffers(&self) -> impl Iterator<Item = VarId> + Clone + '_ {
        self.params(true)
    }

    pub fn values(&self) -> impl Iterator<Item = VarId> + Clone + '_ {
        self.params(false)
    }
}
