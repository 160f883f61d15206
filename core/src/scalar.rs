//! The primitive types of device code.

/// A primitive type, as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the primitive types of Rust, and those of `half`
pub enum ScalarType {
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
    F16,
    Bf16,
}

impl ScalarType {
    /// Size in bytes, which is also its alignment on a device.
    pub const fn size(self) -> usize {
        match self {
            ScalarType::Bool | ScalarType::I8 | ScalarType::U8 => 1,
            ScalarType::I16 | ScalarType::U16 | ScalarType::F16 | ScalarType::Bf16 => 2,
            ScalarType::I32 | ScalarType::U32 | ScalarType::F32 => 4,
            ScalarType::I64 | ScalarType::U64 | ScalarType::Isize | ScalarType::Usize | ScalarType::F64 => 8,
            ScalarType::I128 | ScalarType::U128 => 16,
        }
    }

    /// The name in C++: that of Rust, and for those of `half` in the namespace of the prelude,
    /// since few programs have them.
    pub const fn c_name(self) -> &'static str {
        match self {
            ScalarType::Bool => "bool",
            ScalarType::I8 => "i8",
            ScalarType::I16 => "i16",
            ScalarType::I32 => "i32",
            ScalarType::I64 => "i64",
            ScalarType::I128 => "i128",
            ScalarType::Isize => "isize",
            ScalarType::U8 => "u8",
            ScalarType::U16 => "u16",
            ScalarType::U32 => "u32",
            ScalarType::U64 => "u64",
            ScalarType::U128 => "u128",
            ScalarType::Usize => "usize",
            ScalarType::F32 => "f32",
            ScalarType::F64 => "f64",
            ScalarType::F16 => "ab::f16",
            ScalarType::Bf16 => "ab::bf16",
        }
    }
}

/// A type of integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntType {
    /// 8 to 128.
    pub bits: u32,
    /// Whether it has negative values.
    pub signed: bool,
}

impl IntType {
    /// Any type of integers: the values that all of them have. The macro does not know types, so
    /// for it, a number that is out of this one is unknown.
    pub const ANY: Self = Self { bits: 7, signed: false };
    /// A `usize`, where the macro shows that it does not wrap.
    pub const ANY_WIDE: Self = Self { bits: 63, signed: false };

    /// Whether it is a type, and not the values that several have.
    pub(crate) const fn is_one(self) -> bool {
        self.bits.is_multiple_of(8)
    }

    /// A primitive type as an integer type.
    pub const fn of(ty: ScalarType) -> Option<Self> {
        let (bits, signed) = match ty {
            ScalarType::Bool | ScalarType::F32 | ScalarType::F64 | ScalarType::F16 | ScalarType::Bf16 => return None,
            ScalarType::I8 => (8, true),
            ScalarType::I16 => (16, true),
            ScalarType::I32 => (32, true),
            ScalarType::I64 | ScalarType::Isize => (64, true),
            ScalarType::I128 => (128, true),
            ScalarType::U8 => (8, false),
            ScalarType::U16 => (16, false),
            ScalarType::U32 => (32, false),
            ScalarType::U64 | ScalarType::Usize => (64, false),
            ScalarType::U128 => (128, false),
        };
        Some(Self { bits, signed })
    }
}
