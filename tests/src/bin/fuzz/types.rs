//! The types of device code.

/// A scalar type of device code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Scalar {
    Bool,
    I8,
    I16,
    I32,
    I64,
    I128,
    Isize,
    U8,
    U16,
    U32,
    U64,
    U128,
    Usize,
    F32,
    F64,
}

use Scalar::*;

impl Scalar {
    pub(crate) const ALL: [Scalar; 15] =
        [Bool, I8, I16, I32, I64, I128, Isize, U8, U16, U32, U64, U128, Usize, F32, F64];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Bool => "bool",
            I8 => "i8",
            I16 => "i16",
            I32 => "i32",
            I64 => "i64",
            I128 => "i128",
            Isize => "isize",
            U8 => "u8",
            U16 => "u16",
            U32 => "u32",
            U64 => "u64",
            U128 => "u128",
            Usize => "usize",
            F32 => "f32",
            F64 => "f64",
        }
    }

    pub(crate) fn bits(self) -> u32 {
        match self {
            Bool | I8 | U8 => 8,
            I16 | U16 => 16,
            I32 | U32 | F32 => 32,
            I64 | U64 | Isize | Usize | F64 => 64,
            I128 | U128 => 128,
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, F32 | F64)
    }

    pub(crate) fn is_int(self) -> bool {
        !self.is_float() && self != Bool
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, I8 | I16 | I32 | I64 | I128 | Isize)
    }

    /// The signed type of the same width as an unsigned one.
    pub(crate) fn signed(self) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|other| other.is_signed() && other.unsigned() == self)
    }

    /// The unsigned type of the same width.
    pub(crate) fn unsigned(self) -> Scalar {
        match self {
            I8 => U8,
            I16 => U16,
            I32 | F32 => U32,
            I64 | F64 => U64,
            I128 => U128,
            Isize => Usize,
            other => other,
        }
    }

    /// The greatest value of an int type.
    pub(crate) fn max(self) -> u128 {
        u128::MAX >> (128 - self.bits() + u32::from(self.is_signed()))
    }

    /// The types that `Self::from` takes.
    pub(crate) fn lossless_sources(self) -> Vec<Scalar> {
        let fits = |from: Scalar| match (from, self) {
            (from, to) if from == to => true,
            (Isize | Usize, _) => false,
            (_, Usize) => matches!(from, Bool | U8 | U16),
            (_, Isize) => matches!(from, Bool | U8 | I8 | I16),
            (Bool, _) | (F32, F64) => true,
            (_, F32) => from.is_int() && from.bits() <= 16,
            (_, F64) => from.is_int() && from.bits() <= 32,
            (_, to) => from.is_int() && to.is_int() && from.bits() < to.bits() && (to.is_signed() || !from.is_signed()),
        };
        Self::ALL.into_iter().filter(|&from| fits(from)).collect()
    }
}

/// What a type parameter may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    Num,
    Int,
    Float,
}

impl Bound {
    pub(crate) fn allows(self, scalar: Scalar) -> bool {
        match self {
            Bound::Num => scalar != Bool,
            Bound::Int => scalar.is_int(),
            Bound::Float => scalar.is_float(),
        }
    }
}

/// A type of device code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ty {
    Scalar(Scalar),
    Tuple(Vec<Ty>),
    Array(Box<Ty>, usize),
    /// Of a slice parameter.
    Slice(Box<Ty>),
    /// The type parameter `T` of a generic function.
    Param(Bound),
    /// Of `break` and the like: fits everywhere.
    Never,
}

impl Ty {
    pub(crate) fn unit() -> Ty {
        Ty::Tuple(Vec::new())
    }

    pub(crate) fn scalar(&self) -> Option<Scalar> {
        match self {
            Ty::Scalar(scalar) => Some(*scalar),
            Ty::Tuple(_) | Ty::Array(..) | Ty::Slice(_) | Ty::Param(_) | Ty::Never => None,
        }
    }

    /// The type parameter in it, if there is one.
    pub(crate) fn param(&self) -> Option<Bound> {
        match self {
            Ty::Param(bound) => Some(*bound),
            Ty::Tuple(parts) => parts.iter().find_map(Ty::param),
            Ty::Array(element, _) | Ty::Slice(element) => element.param(),
            Ty::Scalar(_) | Ty::Never => None,
        }
    }

    /// With another type for the type parameter.
    pub(crate) fn substitute(&self, by: &Ty) -> Ty {
        match self {
            Ty::Param(_) => by.clone(),
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| part.substitute(by)).collect()),
            Ty::Array(element, len) => Ty::Array(Box::new(element.substitute(by)), *len),
            Ty::Slice(element) => Ty::Slice(Box::new(element.substitute(by))),
            Ty::Scalar(_) | Ty::Never => self.clone(),
        }
    }
}

impl From<Scalar> for Ty {
    fn from(scalar: Scalar) -> Ty {
        Ty::Scalar(scalar)
    }
}

impl std::fmt::Display for Ty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ty::Scalar(scalar) => f.write_str(scalar.name()),
            Ty::Tuple(parts) => {
                f.write_str("(")?;
                parts.iter().try_for_each(|part| write!(f, "{part}, "))?;
                f.write_str(")")
            }
            Ty::Array(element, len) => write!(f, "[{element}; {len}]"),
            Ty::Slice(element) => write!(f, "[{element}]"),
            Ty::Param(_) => f.write_str("T"),
            Ty::Never => f.write_str("!"),
        }
    }
}
