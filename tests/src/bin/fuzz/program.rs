//! A program: a typed tree, from which the text is printed and which the shrinker makes smaller.

use crate::types::{Bound, Scalar, Ty};

/// Place in [`Program::vars`]. The first ones are the [environment](ENVIRONMENT).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct VarId(pub(crate) usize);

/// What the body of the loop finds around itself, as in the signature that the harness gives the kernel. The slices have
/// `n` elements, but `own` has four an iteration, which no other iteration touches.
pub(crate) const ENVIRONMENT: [(&str, Env); 20] = [
    ("i", Env::Value(Scalar::Usize)),
    ("n", Env::Value(Scalar::Usize)),
    ("int", Env::Value(Scalar::I32)),
    ("real", Env::Value(Scalar::F32)),
    ("own", Env::Own),
    ("bools", Env::Slice(Scalar::Bool)),
    ("i8s", Env::Slice(Scalar::I8)),
    ("i16s", Env::Slice(Scalar::I16)),
    ("i32s", Env::Slice(Scalar::I32)),
    ("i64s", Env::Slice(Scalar::I64)),
    ("i128s", Env::Slice(Scalar::I128)),
    ("isizes", Env::Slice(Scalar::Isize)),
    ("u8s", Env::Slice(Scalar::U8)),
    ("u16s", Env::Slice(Scalar::U16)),
    ("u32s", Env::Slice(Scalar::U32)),
    ("u64s", Env::Slice(Scalar::U64)),
    ("u128s", Env::Slice(Scalar::U128)),
    ("usizes", Env::Slice(Scalar::Usize)),
    ("f32s", Env::Slice(Scalar::F32)),
    ("f64s", Env::Slice(Scalar::F64)),
];

/// The loop variable, the number of iterations, and the slice that the iteration writes, in [`ENVIRONMENT`].
pub(crate) const I: VarId = VarId(0);
pub(crate) const N: VarId = VarId(1);
pub(crate) const OWN: VarId = VarId(4);

/// What an environment variable is.
#[derive(Clone, Copy)]
pub(crate) enum Env {
    Value(Scalar),
    /// A read-only slice.
    Slice(Scalar),
    /// `&mut [i64]`, four elements an iteration.
    Own,
}

/// A whole program: the body of a `par` loop, and what it calls.
#[derive(Clone)]
pub(crate) struct Program {
    /// Its number in the run, which is in the names of its items.
    pub(crate) number: usize,
    /// Of the program and of its inputs.
    pub(crate) seed: u64,
    /// Every variable of the body and of the functions.
    pub(crate) vars: Vec<Var>,
    pub(crate) consts: Vec<Const>,
    /// Each calls only those before it.
    pub(crate) functions: Vec<Function>,
    pub(crate) body: Block,
}

#[derive(Clone)]
pub(crate) struct Var {
    /// Shadowed names are different variables.
    pub(crate) name: String,
    pub(crate) ty: Ty,
    pub(crate) mutable: bool,
    /// A parameter `&T` or `&mut T`: its value is `*name`.
    pub(crate) reference: bool,
}

/// `const NAME: ty = value;`
#[derive(Clone)]
pub(crate) struct Const {
    pub(crate) name: String,
    pub(crate) value: Expr,
}

/// A `#[device]` function.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// `<T: Int>`
    pub(crate) generic: Option<Bound>,
    pub(crate) params: Vec<Param>,
    pub(crate) output: Ty,
    pub(crate) body: Block,
}

#[derive(Clone)]
pub(crate) struct Param {
    pub(crate) var: VarId,
    pub(crate) mode: Mode,
}

/// How a function takes an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Value,
    Ref,
    RefMut,
}

#[derive(Clone, Default)]
pub(crate) struct Block {
    pub(crate) stmts: Vec<Stmt>,
    pub(crate) value: Option<Box<Expr>>,
}

#[derive(Clone)]
pub(crate) enum Stmt {
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
    /// Folds a variable into the result of the iteration.
    Observe(VarId),
}

#[derive(Clone)]
pub(crate) enum Pattern {
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
    Array(Vec<Pattern>),
    Or(Vec<Pattern>),
}

#[derive(Clone)]
pub(crate) struct Arm {
    pub(crate) pattern: Pattern,
    pub(crate) guard: Option<Expr>,
    pub(crate) body: Expr,
}

#[derive(Clone)]
pub(crate) struct Expr {
    pub(crate) ty: Ty,
    pub(crate) kind: Kind,
}

#[derive(Clone)]
pub(crate) enum Kind {
    /// The text of a literal, with a minus in front of negative ones, and its suffix where it needs one.
    Literal {
        text: String,
        suffix: bool,
    },
    Var(VarId),
    /// `f32::MAX`, `LIMIT`.
    Const(String),
    /// `-`, `!`.
    Unary(&'static str, Box<Expr>),
    /// Arithmetic, bits, shifts, comparison, `&&`, `||`.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Cast(Box<Expr>),
    /// `x.cast::<T>()`, from or to a type parameter.
    GenericCast(Box<Expr>),
    /// The receiver first; `path` for `f32::max(a, b)`.
    Method {
        name: &'static str,
        args: Vec<Expr>,
        path: bool,
    },
    /// `T::name(x)`: `from`, `from_bits`.
    Associated(&'static str, Box<Expr>),
    /// A function by its place in [`Program::functions`].
    Call {
        function: usize,
        args: Vec<Expr>,
    },
    /// `&place`, `&place[a..b]`, `&place[a..b][c..d]`, as an argument.
    Borrow {
        mutable: bool,
        place: Box<Expr>,
        parts: Vec<(Expr, Expr)>,
    },
    Field(Box<Expr>, usize),
    Index(Box<Expr>, Box<Expr>),
    Tuple(Vec<Expr>),
    Array(Vec<Expr>),
    /// `[value; n]`.
    Repeat(Box<Expr>),
    Block {
        label: Option<String>,
        block: Block,
    },
    If {
        cond: Box<Expr>,
        then: Block,
        otherwise: Option<Block>,
    },
    IfLet {
        pattern: Pattern,
        scrutinee: Box<Expr>,
        then: Block,
        otherwise: Option<Block>,
    },
    Match {
        scrutinee: Box<Expr>,
        arms: Vec<Arm>,
    },
    /// `loop`; the value is what it has when the fuel is spent.
    Loop {
        label: Option<String>,
        body: Block,
        exhausted: Option<Box<Expr>>,
    },
    While {
        label: Option<String>,
        cond: Box<Expr>,
        body: Block,
    },
    WhileLet {
        label: Option<String>,
        pattern: Pattern,
        scrutinee: Box<Expr>,
        body: Block,
    },
    For {
        label: Option<String>,
        var: VarId,
        range: Range,
        body: Block,
    },
    Assign(Box<Expr>, Box<Expr>),
    AssignOp(&'static str, Box<Expr>, Box<Expr>),
    Break {
        label: Option<String>,
        value: Option<Box<Expr>>,
    },
    Continue(Option<String>),
    Return(Option<Box<Expr>>),
    /// `assert!`, `panic!` and their like.
    Macro {
        name: &'static str,
        args: Vec<Expr>,
        message: Option<String>,
    },
}

/// `(start..end).rev().step_by(step)`.
#[derive(Clone)]
pub(crate) struct Range {
    pub(crate) start: Box<Expr>,
    pub(crate) end: Box<Expr>,
    pub(crate) inclusive: bool,
    pub(crate) rev: bool,
    pub(crate) step: Option<Box<Expr>>,
}

impl Expr {
    pub(crate) fn new(ty: impl Into<Ty>, kind: Kind) -> Self {
        Self { ty: ty.into(), kind }
    }

    /// A literal with its suffix.
    pub(crate) fn literal(ty: Scalar, text: impl Into<String>) -> Self {
        Self::new(ty, Kind::Literal { text: text.into(), suffix: ty != Scalar::Bool })
    }

    /// The variable that a place is in.
    pub(crate) fn root(&self) -> Option<VarId> {
        match &self.kind {
            Kind::Var(var) => Some(*var),
            Kind::Field(base, _) | Kind::Index(base, _) => base.root(),
            _ => None,
        }
    }

    /// The simplest value of a type.
    pub(crate) fn zero(ty: &Ty) -> Self {
        match ty {
            Ty::Scalar(Scalar::Bool) => Self::literal(Scalar::Bool, "false"),
            Ty::Scalar(s) if s.is_float() => Self::literal(*s, "0.0"),
            Ty::Scalar(s) => Self::literal(*s, "0"),
            Ty::Tuple(parts) => Self::new(ty.clone(), Kind::Tuple(parts.iter().map(Self::zero).collect())),
            Ty::Array(element, _) => Self::new(ty.clone(), Kind::Repeat(Box::new(Self::zero(element)))),
            Ty::Param(_) => Self::new(ty.clone(), Kind::Const("T::ZERO".to_owned())),
            Ty::Slice(_) | Ty::Never => unreachable!("there are no values of this type"),
        }
    }
}
