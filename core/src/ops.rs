//! Operators, comparisons and operations.

/// Declares an enum without data, with the names of its variants, by which generated code refers to
/// them.
macro_rules! plain_enum {
    ($(#[$doc:meta])* $Name:ident { $($(#[$variant_doc:meta])* $Variant:ident,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $Name { $($(#[$variant_doc])* $Variant,)* }

        impl $Name {
            /// Every variant.
            pub const ALL: &[$Name] = &[$($Name::$Variant,)*];

            /// The name of the variant.
            pub const fn variant(self) -> &'static str {
                match self { $($Name::$Variant => stringify!($Variant),)* }
            }
        }
    };
}

plain_enum! {
    /// Unary operators.
    UnOp {
        /// `-a`
        Neg,
        /// `!a`
        Not,
    }
}

plain_enum! {
    /// Arithmetic and bit operators.
    BinOp {
        /// `a + b`
        Add,
        /// `a - b`
        Sub,
        /// `a * b`
        Mul,
        /// `a / b`
        Div,
        /// `a % b`
        Rem,
        /// `a & b`
        And,
        /// `a | b`
        Or,
        /// `a ^ b`
        Xor,
        /// `a << b`
        Shl,
        /// `a >> b`
        Shr,
    }
}

impl UnOp {
    /// The trait of `std::ops`.
    pub const fn std_trait(self) -> &'static str {
        match self {
            UnOp::Neg => "Neg",
            UnOp::Not => "Not",
        }
    }
}

impl BinOp {
    /// The trait of `std::ops`.
    pub const fn std_trait(self) -> &'static str {
        match self {
            BinOp::Add => "Add",
            BinOp::Sub => "Sub",
            BinOp::Mul => "Mul",
            BinOp::Div => "Div",
            BinOp::Rem => "Rem",
            BinOp::And => "BitAnd",
            BinOp::Or => "BitOr",
            BinOp::Xor => "BitXor",
            BinOp::Shl => "Shl",
            BinOp::Shr => "Shr",
        }
    }

    /// The operator, which is the same in Rust and C++.
    pub const fn symbol(self) -> &'static str {
        match self {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::And => "&",
            BinOp::Or => "|",
            BinOp::Xor => "^",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
        }
    }
}

plain_enum! {
    /// Operators that compare.
    CompareOp {
        /// `a == b`
        Eq,
        /// `a != b`
        Ne,
        /// `a < b`
        Lt,
        /// `a <= b`
        Le,
        /// `a > b`
        Gt,
        /// `a >= b`
        Ge,
    }
}

impl CompareOp {
    /// The operator, which is the same in Rust and C++.
    pub const fn symbol(self) -> &'static str {
        match self {
            CompareOp::Eq => "==",
            CompareOp::Ne => "!=",
            CompareOp::Lt => "<",
            CompareOp::Le => "<=",
            CompareOp::Gt => ">",
            CompareOp::Ge => ">=",
        }
    }

    /// The trait in `std::cmp` that it is of.
    pub const fn std_trait(self) -> &'static str {
        match self {
            CompareOp::Eq | CompareOp::Ne => "PartialEq",
            CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge => "PartialOrd",
        }
    }
}

plain_enum! {
    /// How the two sides of a condition compare, for the launch: `a > b` is `b < a`.
    Comparison {
        /// `a < b`
        Less,
        /// `a <= b`
        LessOrEqual,
        /// `a == b`
        Equal,
        /// `a != b`
        NotEqual,
    }
}

plain_enum! {
    /// Operations on integers of one type, of whose results the launch knows an interval. If an
    /// operand may have wrapped, the result can be any number that the operation gives for operands
    /// of the type.
    Operation {
        /// Nothing is known but the type. No operands.
        Any,
        /// One of the numbers of a table: from its least to its greatest. These are the operands,
        /// of any type.
        Listed,
        /// `a * b`, wrapping; both depend on the iteration.
        Mul,
        /// `a / b`
        Div,
        /// `a % b`
        Rem,
        /// `a & b`
        And,
        /// `a | b`
        Or,
        /// `a ^ b`
        Xor,
        /// `a >> b`
        Shr,
        /// `a.min(b)`
        Min,
        /// `a.max(b)`
        Max,
        /// `a.clamp(lo, hi)`
        Clamp,
        /// `a.saturating_sub(b)`
        SaturatingSub,
        /// `a.saturating_add(b)`
        SaturatingAdd,
        /// `a.abs_diff(b)`; the type is that of the operands.
        AbsDiff,
        /// `a.rem_euclid(b)`
        RemEuclid,
    }
}
