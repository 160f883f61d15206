//! Short ways to make the parts of a program.

use anabranch_core::methods::{self, Method};
use anabranch_core::ops::{BinOp, CompareOp, UnOp};

use crate::program::{Around, Block, Callee, Expr, Kind, Part, Pattern, Stmt, VarId};
use crate::types::{Scalar, Ty};

/// A method of device code.
pub fn method(name: &str) -> &'static Method {
    methods::find(name).unwrap_or_else(|| panic!("device code has no method `{name}`"))
}

impl Expr {
    pub fn new(ty: impl Into<Ty>, kind: Kind) -> Self {
        Self { ty: ty.into(), kind }
    }

    /// An expression of type `()` or `!`.
    pub fn unit(kind: Kind) -> Self {
        Self::new(Ty::unit(), kind)
    }

    /// An int with its suffix.
    pub fn int(value: i128, ty: Scalar) -> Self {
        Self::new(ty, Kind::Int { value, suffix: true })
    }

    /// An int without its suffix.
    pub fn bare(value: i128, ty: Scalar) -> Self {
        Self::new(ty, Kind::Int { value, suffix: false })
    }

    pub fn usize(value: usize) -> Self {
        Self::int(value as i128, Scalar::Usize)
    }

    /// A float with its suffix.
    pub fn float(text: impl Into<String>, ty: Scalar) -> Self {
        Self::new(ty, Kind::Float { text: text.into(), suffix: true })
    }

    pub fn bool(value: bool) -> Self {
        Self::new(Scalar::Bool, Kind::Bool(value))
    }

    pub fn constant(path: impl Into<String>, ty: impl Into<Ty>) -> Self {
        Self::new(ty, Kind::Const(path.into()))
    }

    /// What the iteration has observed so far.
    pub fn seen() -> Self {
        Self::new(Scalar::U32, Kind::Seen)
    }

    /// An operator whose result is of the type of its left side.
    pub fn bin(op: BinOp, a: Expr, b: Expr) -> Self {
        Self::new(a.ty.clone(), Kind::Binary(op, Box::new(a), Box::new(b)))
    }

    pub fn unary(op: UnOp, a: Expr) -> Self {
        Self::new(a.ty.clone(), Kind::Unary(op, Box::new(a)))
    }

    pub fn compare(op: CompareOp, a: Expr, b: Expr) -> Self {
        Self::new(Scalar::Bool, Kind::Compare(op, Box::new(a), Box::new(b)))
    }

    pub fn and(a: Expr, b: Expr) -> Self {
        Self::new(Scalar::Bool, Kind::And(Box::new(a), Box::new(b)))
    }

    pub fn or(a: Expr, b: Expr) -> Self {
        Self::new(Scalar::Bool, Kind::Or(Box::new(a), Box::new(b)))
    }

    /// A method of a scalar, in whose type it is.
    pub fn method(name: &str, args: Vec<Expr>) -> Self {
        let method = method(name);
        let result = args[0].scalar().resolve(method.result).expect("the result is a scalar");
        Self::new(result, Kind::Method { method, args, path: false })
    }

    /// In another type.
    pub fn to(self, ty: Scalar) -> Self {
        if self.ty == Ty::Scalar(ty) { self } else { Self::new(ty, Kind::Cast(Box::new(self))) }
    }

    /// A literal in the type of another expression.
    pub fn as_type_of(self, other: &Expr) -> Self {
        match self.kind {
            Kind::Int { value, .. } if self.ty == Ty::Scalar(Scalar::Usize) => Self::int(value, other.scalar()),
            _ => self,
        }
    }

    pub fn length(of: Expr) -> Self {
        Self::new(Scalar::Usize, Kind::Len(Box::new(of)))
    }

    /// The number of elements of a grid along a dimension.
    pub fn extent(of: Expr, dim: usize) -> Self {
        Self::new(Scalar::Usize, Kind::Extent(Box::new(of), dim))
    }

    /// An element of a slice, an array or a grid.
    pub fn element(base: Expr, index: Expr) -> Self {
        let (Ty::Slice(element) | Ty::Array(element, _) | Ty::Grid(element, _)) = &base.ty else {
            panic!("{} has no elements", base.ty)
        };
        Self::new((**element).clone(), Kind::Index(Box::new(base), Box::new(index)))
    }

    pub fn borrow(mutable: bool, place: Expr, parts: Vec<Part>) -> Self {
        Self::new(place.ty.clone(), Kind::Borrow { mutable, place: Box::new(place), parts })
    }

    pub fn call(callee: Callee, args: Vec<Expr>, output: impl Into<Ty>) -> Self {
        Self::new(output, Kind::Call { callee, args })
    }

    /// `let pattern = scrutinee`, as a condition.
    pub fn matches(pattern: Pattern, scrutinee: Expr) -> Self {
        Self::new(Scalar::Bool, Kind::Let(pattern, Box::new(scrutinee)))
    }

    /// `{ block }`
    pub fn block(ty: impl Into<Ty>, block: Block) -> Self {
        Self::new(ty, Kind::Block { label: None, block })
    }

    /// `if cond { then } else { otherwise }`
    pub fn choose(cond: Expr, then: Expr, otherwise: Expr) -> Self {
        let (ty, cond) = (then.ty.clone(), Box::new(cond));
        Self::new(ty, Kind::If { cond, then: Block::of(then), otherwise: Some(Block::of(otherwise)) })
    }

    /// Its type, which is that of a scalar.
    pub fn scalar(&self) -> Scalar {
        self.ty.scalar().expect("an expression of a scalar type")
    }

    /// Its value, if it is a literal.
    pub fn literal(&self) -> Option<i128> {
        if let Kind::Int { value, .. } = self.kind { Some(value) } else { None }
    }

    /// The variable that a place is in.
    pub fn root(&self) -> Option<VarId> {
        match &self.kind {
            Kind::Var(var) => Some(*var),
            Kind::Field(base, _) | Kind::Index(base, _) => base.root(),
            _ => None,
        }
    }

    /// The simplest value of a type.
    pub fn zero(ty: &Ty) -> Self {
        match ty {
            Ty::Scalar(Scalar::Bool) => Self::bool(false),
            Ty::Scalar(scalar) if scalar.is_float() => Self::float("0.0", *scalar),
            Ty::Scalar(scalar) => Self::int(0, *scalar),
            Ty::Tuple(parts) | Ty::Struct(parts) => {
                Self::new(ty.clone(), Kind::Tuple(parts.iter().map(Self::zero).collect()))
            }
            Ty::Enum(_, parts) => {
                let field = parts.first().map(|part| Box::new(Self::zero(part)));
                Self::new(ty.clone(), Kind::Variant(0, field))
            }
            Ty::Array(element, _) => Self::new(ty.clone(), Kind::Repeat(Box::new(Self::zero(element)))),
            Ty::Param(_) => Self::constant("T::ZERO", ty.clone()),
            Ty::Slice(_) | Ty::Grid(..) | Ty::Never => unreachable!("there are no values of this type"),
        }
    }
}

macro_rules! operators {
    ($($Trait:ident $method:ident)*) => { $(
        /// A literal gets the type of the other side.
        impl<E: Into<Expr>> std::ops::$Trait<E> for Expr {
            type Output = Expr;
            fn $method(self, other: E) -> Expr {
                let other = other.into().as_type_of(&self);
                Expr::bin(BinOp::$Trait, self, other)
            }
        }
    )* };
}
operators!(Add add Sub sub Mul mul);

impl From<i64> for Expr {
    fn from(value: i64) -> Expr {
        Expr::int(value.into(), Scalar::Usize)
    }
}

impl std::ops::Not for Expr {
    type Output = Expr;
    fn not(self) -> Expr {
        Expr::unary(UnOp::Not, self)
    }
}

impl Block {
    /// Only a value.
    pub fn of(value: Expr) -> Self {
        Self { stmts: Vec::new(), value: Some(Box::new(value)) }
    }
}

impl From<Vec<Stmt>> for Block {
    fn from(stmts: Vec<Stmt>) -> Self {
        Self { stmts, value: None }
    }
}

impl Pattern {
    pub fn bind(var: VarId) -> Self {
        Self::Bind { var, inner: None }
    }
}

impl Stmt {
    /// `let var = init;`
    pub fn bind(var: VarId, init: Expr) -> Self {
        Self::destructure(Pattern::bind(var), init)
    }

    /// `let pattern = init;`
    pub fn destructure(pattern: Pattern, init: Expr) -> Self {
        Self::Let { pattern, ty: None, init: Some(init), otherwise: None }
    }

    pub fn unit(kind: Kind) -> Self {
        Self::Expr(Expr::unit(kind))
    }

    pub fn assign(place: Expr, value: Expr) -> Self {
        Self::unit(Kind::Assign(Box::new(place), Box::new(value)))
    }

    pub fn assign_op(op: BinOp, place: Expr, value: Expr) -> Self {
        Self::unit(Kind::AssignOp(op, Box::new(place), Box::new(value)))
    }

    /// `if cond { then } else { otherwise }`, without an `else` where that is empty.
    pub fn when(cond: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt>) -> Self {
        let otherwise = (!otherwise.is_empty()).then(|| otherwise.into());
        Self::unit(Kind::If { cond: Box::new(cond), then: then.into(), otherwise })
    }

    /// Folds the elements of a part of a view into the result of the iteration.
    pub fn sum(view: Expr, parts: Vec<Part>) -> Self {
        let part = vec![Expr::borrow(false, view, parts)];
        Self::Observe(Expr::call(Callee::Around(Around::Sum), part, Scalar::U32))
    }

    /// `put(&mut view[a..b], acc)`
    pub fn put(view: Expr, parts: Vec<Part>) -> Self {
        let args = vec![Expr::borrow(true, view, parts), Expr::seen()];
        Self::Expr(Expr::call(Callee::Around(Around::Put), args, Ty::unit()))
    }

    pub fn leave() -> Self {
        Self::Expr(Expr::new(Ty::Never, Kind::Break { label: None, value: None }))
    }

    pub fn assert(cond: Expr) -> Self {
        Self::unit(Kind::Macro { name: "assert", args: vec![cond], message: None })
    }
}
