//! The types of device code.

use anabranch_core::methods::{Class, Method, Type};

/// A scalar type of device code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Scalar {
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
    /// Ints that no machine has: much wraps in them.
    U3,
    I3,
    U5,
    I5,
}

use Scalar::*;

impl Scalar {
    /// What the language has.
    pub const ALL: [Scalar; 15] = [Bool, I8, I16, I32, I64, I128, Isize, U8, U16, U32, U64, U128, Usize, F32, F64];
    /// The ints that indexes are made of.
    pub const WORDS: [Scalar; 10] = [U8, I8, U16, I16, U32, I32, U64, I64, Usize, Isize];

    pub const fn name(self) -> &'static str {
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
            U3 => "u3",
            I3 => "i3",
            U5 => "u5",
            I5 => "i5",
        }
    }

    pub fn named(name: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|scalar| scalar.name() == name)
    }

    pub const fn bits(self) -> u32 {
        match self {
            Bool | I8 | U8 => 8,
            I16 | U16 => 16,
            I32 | U32 | F32 => 32,
            I64 | U64 | Isize | Usize | F64 => 64,
            I128 | U128 => 128,
            U3 | I3 => 3,
            U5 | I5 => 5,
        }
    }

    pub const fn is_float(self) -> bool {
        matches!(self, F32 | F64)
    }

    pub const fn is_int(self) -> bool {
        !matches!(self, Bool | F32 | F64)
    }

    pub const fn is_signed(self) -> bool {
        matches!(self, I8 | I16 | I32 | I64 | I128 | Isize | I3 | I5)
    }

    /// The signed type of the same width as an unsigned one.
    pub fn signed(self) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|other| other.is_signed() && other.unsigned() == self)
    }

    /// The unsigned type of the same width.
    pub const fn unsigned(self) -> Scalar {
        match self {
            I8 => U8,
            I16 => U16,
            I32 | F32 => U32,
            I64 | F64 => U64,
            I128 => U128,
            Isize => Usize,
            I3 => U3,
            I5 => U5,
            other => other,
        }
    }

    /// The greatest value of an int type.
    pub const fn greatest(self) -> u128 {
        u128::MAX >> (128 - self.bits() + self.is_signed() as u32)
    }

    /// The same, of a type whose values an `i128` holds.
    pub const fn max(self) -> i128 {
        self.greatest() as i128
    }

    /// The least value of an int type.
    pub const fn min(self) -> i128 {
        if self.is_signed() { -self.max() - 1 } else { 0 }
    }

    /// The value that a type of at most 64 bits has for a number.
    pub const fn wrap(self, number: i128) -> i128 {
        let rest = number.rem_euclid(1 << self.bits());
        if rest > self.max() { rest - (1 << self.bits()) } else { rest }
    }

    /// Whether it has a method.
    pub fn has(self, method: &Method) -> bool {
        match method.class {
            Class::Ordered => true,
            Class::Number => self != Bool,
            Class::SignedNumber => self.is_float() || self.is_signed(),
            Class::Float => self.is_float(),
            Class::Int => self.is_int(),
            Class::Signed => self.is_signed(),
            Class::Unsigned => self.is_int() && !self.is_signed(),
            Class::U8 => self == U8,
        }
    }

    /// The type of an argument or the result of one of its methods, if that is a scalar.
    pub fn resolve(self, ty: Type) -> Option<Scalar> {
        match ty {
            Type::Same => Some(self),
            Type::Bool => Some(Bool),
            Type::U32 => Some(U32),
            Type::I32 => Some(I32),
            Type::ToUnsigned | Type::Bits => Some(self.unsigned()),
            Type::ToSigned => self.signed(),
            Type::Bytes | Type::SameAndBool | Type::TwoSame => None,
        }
    }

    /// The types that `Self::from` takes.
    pub fn lossless_sources(self) -> Vec<Scalar> {
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
pub enum Bound {
    Num,
    Int,
    Float,
}

impl Bound {
    pub fn allows(self, scalar: Scalar) -> bool {
        match self {
            Bound::Num => scalar != Bool,
            Bound::Int => scalar.is_int(),
            Bound::Float => scalar.is_float(),
        }
    }
}

/// A type of device code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    Scalar(Scalar),
    Tuple(Vec<Ty>),
    /// The struct with as many fields that every program has.
    Struct(Vec<Ty>),
    /// The enum at this place of [`ENUMS`], with the types of its fields.
    Enum(usize, Vec<Ty>),
    Array(Box<Ty>, usize),
    /// Of a slice parameter.
    Slice(Box<Ty>),
    /// Of a grid parameter with so many dimensions.
    Grid(Box<Ty>, usize),
    /// The type parameter `T` of a generic function.
    Param(Bound),
    /// Of `break` and the like: fits everywhere.
    Never,
}

/// The structs that every program has, by their number of fields: names, and names of fields.
pub const STRUCTS: [(&str, [&str; 3]); 3] =
    [("One", ["0", "", ""]), ("Two", ["x", "float", ""]), ("Three", ["a", "b", "c"])];

/// The enums that every program has: the name, and the variants, each with the text before and
/// after its field. Only the first [`WITH_FIELDS`] have fields, in their first variants. The
/// discriminants of the others are negative, have gaps, or do not fit into the type that they are
/// converted to.
pub const ENUMS: [(&str, &[[&str; 3]]); 9] = [
    ("Option", &[["Some", "(", ")"], ["None", "", ""]]),
    ("Result", &[["Ok", "(", ")"], ["Err", "(", ")"]]),
    ("Any", &[["A", "(", ")"], ["B", " { float: ", " }"], ["None", "(1, ", ")"], ["C", "", ""]]),
    ("Signs", &[["Minus", "", ""], ["Zero", "", ""], ["Plus", "", ""]]),
    ("Bytes", &[["Last", "", ""], ["First", "", ""], ["Half", "", ""], ["More", "", ""]]),
    ("Shorts", &[["Least", "", ""], ["Next", "", ""], ["Below", "", ""], ["Greatest", "", ""]]),
    ("Longs", &[["Far", "", ""], ["Near", "", ""], ["Least", "", ""]]),
    ("Plain", &[["One", "", ""], ["Two", "", ""]]),
    ("Ordering", &[["Less", "", ""], ["Equal", "", ""], ["Greater", "", ""]]),
];
/// The number of [`ENUMS`] with fields: one, two and three.
pub const WITH_FIELDS: usize = 3;
/// `Ordering`, among [`ENUMS`].
pub const ORDERING: Ty = Ty::Enum(8, Vec::new());

impl Ty {
    /// Whether Rust and device code compare its values.
    pub fn is_comparable(&self) -> bool {
        match self {
            Ty::Tuple(parts) | Ty::Struct(parts) | Ty::Enum(_, parts) => parts.iter().all(Ty::is_comparable),
            Ty::Array(element, _) | Ty::Slice(element) | Ty::Grid(element, _) => element.is_comparable(),
            Ty::Scalar(_) | Ty::Param(_) | Ty::Never => true,
        }
    }

    pub fn unit() -> Ty {
        Ty::Tuple(Vec::new())
    }

    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Ty::Scalar(scalar) => Some(*scalar),
            _ => None,
        }
    }

    /// The type parameter in it, if there is one.
    pub fn param(&self) -> Option<Bound> {
        match self {
            Ty::Param(bound) => Some(*bound),
            Ty::Tuple(parts) | Ty::Struct(parts) | Ty::Enum(_, parts) => parts.iter().find_map(Ty::param),
            Ty::Array(element, _) | Ty::Slice(element) | Ty::Grid(element, _) => element.param(),
            Ty::Scalar(_) | Ty::Never => None,
        }
    }

    /// With another type for the type parameter.
    pub fn substitute(&self, by: &Ty) -> Ty {
        match self {
            Ty::Param(_) => by.clone(),
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| part.substitute(by)).collect()),
            Ty::Struct(parts) => Ty::Struct(parts.iter().map(|part| part.substitute(by)).collect()),
            Ty::Enum(of, parts) => Ty::Enum(*of, parts.iter().map(|part| part.substitute(by)).collect()),
            Ty::Array(element, len) => Ty::Array(Box::new(element.substitute(by)), *len),
            Ty::Slice(element) => Ty::Slice(Box::new(element.substitute(by))),
            Ty::Grid(element, dims) => Ty::Grid(Box::new(element.substitute(by)), *dims),
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
            Ty::Enum(of, parts) if parts.is_empty() => f.write_str(ENUMS[*of].0),
            Ty::Struct(parts) | Ty::Enum(_, parts) => {
                let name = if let Ty::Enum(of, _) = self { ENUMS[*of].0 } else { STRUCTS[parts.len() - 1].0 };
                write!(f, "{name}<")?;
                parts.iter().try_for_each(|part| write!(f, "{part}, "))?;
                f.write_str(">")
            }
            Ty::Array(element, len) => write!(f, "[{element}; {len}]"),
            Ty::Slice(element) => write!(f, "[{element}]"),
            Ty::Grid(element, dims) => write!(f, "Grid<{element}, {dims}>"),
            Ty::Param(_) => f.write_str("T"),
            Ty::Never => f.write_str("!"),
        }
    }
}
