//! Kernels as trees, in the subset of the language that the generator writes.
//!
//! Elements of buffers are `u32`; indexes are made of integers of all types. Every variable has an id, so that a program
//! means the same however its names shadow each other.

mod methods;

pub(super) use methods::Method;

/// A kernel.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    /// Host values. The first are parameters, the others are bound in the host part.
    pub(super) values: Vec<(&'static str, Ty)>,
    pub(super) params: usize,
    /// Views. The first are the buffers, which are parameters; the others come from splits.
    pub(super) views: Vec<&'static str>,
    pub(super) buffers: usize,
    /// Variables of device code.
    pub(super) locals: Vec<Local>,
    pub(super) host: Vec<Host>,
}

/// What a kernel is launched with.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    /// Of the parameters.
    pub(super) values: Vec<i128>,
    /// Of the buffers.
    pub(super) lens: Vec<usize>,
}

/// A type of integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    Usize,
    Isize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Local {
    pub(super) name: &'static str,
    /// Of the elements, if it is an array.
    pub(super) ty: Ty,
    pub(super) mutable: bool,
}

/// Statements of the host part.
#[derive(Clone, Debug)]
pub(super) enum Host {
    Loop(Loop),
    /// `let value = expr;`
    Let(usize, Expr),
    /// `let (low, high) = view.split_at_mut(at);`, or `split_at` for reading.
    Split {
        mutable: bool,
        view: usize,
        at: Expr,
        low: usize,
        high: usize,
    },
    /// `for value in 0..count { … }`
    For(usize, u8, Vec<Host>),
    /// `if cond { … }`
    If(Cond, Vec<Host>),
    /// `stream_parallel! { … }`
    Groups(Vec<Vec<Host>>),
}

/// A `par` loop.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    /// Its number among those of the kernel, in the order of the text.
    pub(super) number: usize,
    pub(super) dims: Vec<Dim>,
    pub(super) block: Option<u32>,
    pub(super) body: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub(super) struct Dim {
    pub(super) var: usize,
    pub(super) start: Expr,
    pub(super) end: Expr,
    pub(super) inclusive: bool,
    pub(super) step: Option<Expr>,
}

/// `view[index]`.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Every place has its own.
    pub(super) id: usize,
    pub(super) view: usize,
    pub(super) index: Box<Expr>,
}

/// `view[start..end]`, a part of that, and so on; without ends, all of the view.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) id: usize,
    pub(super) view: usize,
    pub(super) ends: Vec<Ends>,
}

/// `[start..end]`
#[derive(Clone, Debug)]
pub(super) struct Ends {
    pub(super) start: Option<Expr>,
    pub(super) end: Option<Expr>,
    pub(super) inclusive: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Expr {
    Lit(i128, Ty),
    Var(usize),
    /// A host value.
    Value(usize),
    /// `view.len()`
    Len(usize),
    /// `array.len()`
    ArrayLen(usize),
    /// `array[index]`
    Element(usize, Box<Expr>),
    Bin(Op, Ty, Box<Expr>, Box<Expr>),
    /// `a << b`, `a >> b`, where `b` may be of another type, and beyond the bits of `a`
    Shift {
        left: bool,
        ty: Ty,
        value: Box<Expr>,
        by: Box<Expr>,
    },
    Neg(Ty, Box<Expr>),
    /// Of a receiver of a type; the others are [of another](Method::operand), maybe, and so is the [result](Method::result).
    Call(Method, Ty, Vec<Expr>),
    Cast(Box<Expr>, Ty),
    If(Box<Cond>, Box<Expr>, Box<Expr>),
    /// `{ let variable = a; b }`
    With(usize, Box<Expr>, Box<Expr>),
    /// An element of a buffer.
    Load(Place),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
}

#[derive(Clone, Debug)]
pub(super) enum Cond {
    Compare(&'static str, Box<Expr>, Box<Expr>),
    And(Box<Cond>, Box<Cond>),
    Or(Box<Cond>, Box<Cond>),
    Not(Box<Cond>),
    /// A variable of type `bool`.
    Var(usize),
}

/// Statements of device code. `acc` is a variable of every iteration, in which what it reads goes.
#[derive(Clone, Debug)]
pub(super) enum Stmt {
    Let(usize, Expr),
    /// `let (a, b) = (…, …);`
    Tuple(Vec<(usize, Expr)>),
    Bool(usize, Cond),
    Array(usize, Vec<Expr>),
    Assign(usize, Expr),
    /// `acc = … place …`; by a device function: `get(&place)`.
    Read(Place, bool),
    /// `place = acc`, `place += acc`, `set(&mut place, acc)`
    Write(Place, Writing),
    /// `acc += sum(&view[a..b])`
    Sum(Part),
    /// `put(&mut view[a..b], acc)`
    Put(Part),
    If(Cond, Vec<Stmt>, Vec<Stmt>),
    For {
        var: usize,
        start: Expr,
        end: Expr,
        inclusive: bool,
        adaptors: Vec<Adaptor>,
        body: Vec<Stmt>,
    },
    /// `while cond { … variable += by; }`, where nothing else assigns the variable; by a negative number, `-=`.
    While {
        cond: Cond,
        var: usize,
        by: i128,
        body: Vec<Stmt>,
    },
    /// `match value { 0 => …, 1 => …, _ => … }`
    Match(Expr, Vec<Vec<Stmt>>),
    Continue,
    Break,
    Assert(Cond),
    Unsafe(Vec<Stmt>),
    Block(Vec<Stmt>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Writing {
    Set,
    Add,
    Call,
}

#[derive(Clone, Debug)]
pub(super) enum Adaptor {
    Rev,
    StepBy(Expr),
}

impl Ty {
    pub(super) const ALL: [Ty; 10] =
        [Ty::U8, Ty::I8, Ty::U16, Ty::I16, Ty::U32, Ty::I32, Ty::U64, Ty::I64, Ty::Usize, Ty::Isize];

    pub(super) fn name(self) -> &'static str {
        match self {
            Ty::U8 => "u8",
            Ty::I8 => "i8",
            Ty::U16 => "u16",
            Ty::I16 => "i16",
            Ty::U32 => "u32",
            Ty::I32 => "i32",
            Ty::U64 => "u64",
            Ty::I64 => "i64",
            Ty::Usize => "usize",
            Ty::Isize => "isize",
        }
    }

    pub(super) fn named(name: &str) -> Option<Ty> {
        Ty::ALL.into_iter().find(|ty| ty.name() == name)
    }

    pub(super) fn bits(self) -> u32 {
        match self {
            Ty::U8 | Ty::I8 => 8,
            Ty::U16 | Ty::I16 => 16,
            Ty::U32 | Ty::I32 => 32,
            Ty::U64 | Ty::I64 | Ty::Usize | Ty::Isize => 64,
        }
    }

    pub(super) fn signed(self) -> bool {
        matches!(self, Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64 | Ty::Isize)
    }

    pub(super) fn max(self) -> i128 {
        (1 << (self.bits() - u32::from(self.signed()))) - 1
    }

    pub(super) fn min(self) -> i128 {
        if self.signed() { -self.max() - 1 } else { 0 }
    }

    /// The value that the type has for a number.
    pub(super) fn wrap(self, number: i128) -> i128 {
        let rest = number.rem_euclid(1 << self.bits());
        if rest > self.max() { rest - (1 << self.bits()) } else { rest }
    }

    /// The type of this width with a sign, or without one.
    pub(super) fn with_sign(self, signed: bool) -> Ty {
        let at = Ty::ALL.iter().position(|ty| *ty == self).unwrap_or_default();
        Ty::ALL[at / 2 * 2 + usize::from(signed)]
    }
}

impl Expr {
    pub(super) fn ty(&self, program: &Program) -> Ty {
        match self {
            Expr::Lit(_, ty) | Expr::Bin(_, ty, ..) | Expr::Shift { ty, .. } | Expr::Neg(ty, _) | Expr::Cast(_, ty) => {
                *ty
            }
            Expr::Call(method, ty, _) => method.result(*ty),
            Expr::Var(local) | Expr::Element(local, _) => program.locals[*local].ty,
            Expr::Value(value) => program.values[*value].1,
            Expr::Len(_) | Expr::ArrayLen(_) => Ty::Usize,
            Expr::If(_, value, _) | Expr::With(_, _, value) => value.ty(program),
            Expr::Load(_) => Ty::U32,
        }
    }

    pub(super) fn usize(value: usize) -> Expr {
        Expr::Lit(value as i128, Ty::Usize)
    }

    /// `value << by`, by a literal.
    pub(super) fn shifted(left: bool, ty: Ty, value: Expr, by: usize) -> Expr {
        Expr::Shift { left, ty, value: Box::new(value), by: Box::new(Expr::Lit(by as i128, Ty::U32)) }
    }

    pub(super) fn bin(op: Op, ty: Ty, a: Expr, b: Expr) -> Expr {
        Expr::Bin(op, ty, Box::new(a), Box::new(b))
    }

    pub(super) fn cast(self, program: &Program, ty: Ty) -> Expr {
        if self.ty(program) == ty { self } else { Expr::Cast(Box::new(self), ty) }
    }
}
