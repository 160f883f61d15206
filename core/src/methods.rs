//! The methods of the primitive types: those that device code may call, and why it may not call the
//! others.
//!
//! The two tables name every stable inherent method of std's ints, floats and `bool`, and the
//! methods of std's traits that one would try; `methods.md` of the reference says the same to
//! users.

use crate::check::{Check, message};
use crate::ops::BinOp::{self, Add, Mul, Sub};
use crate::ops::Operation::{self, AbsDiff, Clamp, Max, Min, RemEuclid, SaturatingAdd, SaturatingSub};
use Class::*;
use Type::*;

/// A method of std's primitive types.
#[derive(Debug)]
pub struct Method {
    /// Its name, in Rust and (as `ab::name`) in the C++ prelude.
    pub name: &'static str,
    /// The types that have it.
    pub class: Class,
    /// The types of its arguments, without the receiver.
    pub args: &'static [Type],
    /// The type of its result.
    pub result: Type,
    /// It has no receiver: `f32::from_bits(x)`. The C++ helper takes the type as its template
    /// argument.
    pub is_associated: bool,
    /// What can fail: the C++ helper then takes the context and a site.
    pub check: Option<Check>,
    /// What the analysis of indexes knows of its result.
    pub meaning: Meaning,
}

/// Types that have a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Numbers, `bool`, and tuples and arrays of types with an order.
    Ordered,
    /// Ints and floats.
    Number,
    /// Signed ints and floats.
    SignedNumber,
    /// `f32` and `f64`.
    Float,
    /// All ints.
    Int,
    /// Signed ints.
    Signed,
    /// Unsigned ints.
    Unsigned,
    /// `u8`.
    U8,
}

/// The type of an argument or a result, by the type that has the method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// The type itself.
    Same,
    /// `bool`.
    Bool,
    /// `u32`.
    U32,
    /// `i32`.
    I32,
    /// The unsigned int of the same size.
    ToUnsigned,
    /// The signed int of the same size.
    ToSigned,
    /// The unsigned int that holds the bits of a float.
    Bits,
    /// An array with the bytes of a number.
    Bytes,
    /// A pair of the type itself and `bool`.
    SameAndBool,
    /// A pair of the type itself.
    TwoSame,
}

/// What the analysis of indexes knows of the result of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// Nothing but its type.
    Unknown,
    /// It does what the operator does in device code, where arithmetic wraps.
    Operator(BinOp),
    /// It is an operation whose result the launch knows an interval of.
    Operation(Operation),
}

/// Methods of std that device code does not have.
#[derive(Debug)]
pub struct Unsupported {
    /// Their names, and how many arguments they take.
    pub names: &'static [(&'static str, usize)],
    /// What has them.
    pub of: Owner,
    /// The reason: of an error message, after a colon.
    pub why: &'static str,
    /// What to do instead: the help of that message.
    pub instead: &'static str,
}

/// What methods belong to that device code does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Numbers.
    Number,
    /// All values.
    Value,
    /// Arrays and slices.
    Slice,
}

/// The methods of `Option` and `Result` that fail, with a text that rustc's types decide.
pub const UNWRAPS: &[&str] = &["expect", "unwrap"];

/// Methods of `Option`, `Result`, `bool` and `Ordering` whose C++ helper, `ab::name_of`, is told
/// the type of its result.
pub const TYPED_BY_RESULT: &[&str] = &[
    "and",
    "and_then",
    "err",
    "filter",
    "flatten",
    "inspect",
    "inspect_err",
    "map",
    "map_err",
    "map_or",
    "map_or_else",
    "ok",
    "ok_or",
    "ok_or_else",
    "or",
    "or_else",
    "replace",
    "take",
    "then",
    "then_some",
    "then_with",
    "unwrap_or_else",
    "xor",
    "zip",
];

/// Those that change their receiver.
pub const CHANGING: &[&str] = &["replace", "take"];

/// Those whose closures get references.
pub const BY_REFERENCE: &[&str] = &["filter", "inspect", "inspect_err"];

/// The `checked_` methods of ints that have no `overflowing_` twin, or one that fails.
pub const CHECKED: &[&str] = &[
    "checked_div",
    "checked_div_euclid",
    "checked_ilog",
    "checked_ilog10",
    "checked_ilog2",
    "checked_isqrt",
    "checked_next_multiple_of",
    "checked_next_power_of_two",
    "checked_rem",
    "checked_rem_euclid",
    "checked_signed_diff",
];

/// Looks up a method that device code has.
pub fn find(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|m| m.name == name)
}

/// Why device code does not have a method of std, and what to write instead.
pub fn unsupported(name: &str) -> Option<&'static Unsupported> {
    UNSUPPORTED.iter().find(|m| m.names.iter().any(|(of, _)| *of == name))
}

const fn method(name: &'static str, class: Class, args: &'static [Type], result: Type) -> Method {
    Method { name, class, args, result, is_associated: false, check: None, meaning: Meaning::Unknown }
}

impl Method {
    const fn associated(self) -> Method {
        Method { is_associated: true, ..self }
    }

    const fn fails(self, check: Check) -> Method {
        Method { check: Some(check), ..self }
    }

    const fn means(self, meaning: Meaning) -> Method {
        Method { meaning, ..self }
    }

    /// The types of all that a call of it is given, the receiver first.
    pub fn types(&self) -> impl Iterator<Item = Type> + '_ {
        let receiver = if self.is_associated { None } else { Some(Same) };
        receiver.into_iter().chain(self.args.iter().copied())
    }

    /// Whether index arithmetic in 32 bits has it, too.
    pub const fn is_narrow(&self) -> bool {
        matches!(self.meaning, Meaning::Operation(Min | Max | SaturatingSub))
    }
}

/// Sorted by class, as in the reference.
pub const METHODS: &[Method] = &[
    // whatever has an order
    method("min", Ordered, &[Same], Same).means(Meaning::Operation(Min)),
    method("max", Ordered, &[Same], Same).means(Meaning::Operation(Max)),
    method("clamp", Ordered, &[Same, Same], Same).fails(Check::Clamp).means(Meaning::Operation(Clamp)),
    // any number
    method("abs", SignedNumber, &[], Same),
    method("signum", SignedNumber, &[], Same),
    method("midpoint", Number, &[Same], Same),
    method("rem_euclid", Number, &[Same], Same).fails(Check::Rem).means(Meaning::Operation(RemEuclid)),
    method("div_euclid", Number, &[Same], Same).fails(Check::Div),
    method("to_be_bytes", Number, &[], Bytes),
    method("to_le_bytes", Number, &[], Bytes),
    method("to_ne_bytes", Number, &[], Bytes),
    method("from_be_bytes", Number, &[Bytes], Same).associated(),
    method("from_le_bytes", Number, &[Bytes], Same).associated(),
    method("from_ne_bytes", Number, &[Bytes], Same).associated(),
    // floats: exact
    method("sqrt", Float, &[], Same),
    method("floor", Float, &[], Same),
    method("ceil", Float, &[], Same),
    method("round", Float, &[], Same),
    method("round_ties_even", Float, &[], Same),
    method("trunc", Float, &[], Same),
    method("fract", Float, &[], Same),
    method("recip", Float, &[], Same),
    method("copysign", Float, &[Same], Same),
    method("mul_add", Float, &[Same, Same], Same),
    method("next_up", Float, &[], Same),
    method("next_down", Float, &[], Same),
    method("to_degrees", Float, &[], Same),
    method("to_radians", Float, &[], Same),
    method("to_bits", Float, &[], Bits),
    method("from_bits", Float, &[Bits], Same).associated(),
    method("is_nan", Float, &[], Bool),
    method("is_finite", Float, &[], Bool),
    method("is_infinite", Float, &[], Bool),
    method("is_normal", Float, &[], Bool),
    method("is_subnormal", Float, &[], Bool),
    method("is_sign_negative", Float, &[], Bool),
    method("is_sign_positive", Float, &[], Bool),
    // floats: rounded as the platform does
    method("cbrt", Float, &[], Same),
    method("hypot", Float, &[Same], Same),
    method("powi", Float, &[I32], Same),
    method("powf", Float, &[Same], Same),
    method("exp", Float, &[], Same),
    method("exp2", Float, &[], Same),
    method("exp_m1", Float, &[], Same),
    method("ln", Float, &[], Same),
    method("ln_1p", Float, &[], Same),
    method("log2", Float, &[], Same),
    method("log10", Float, &[], Same),
    method("log", Float, &[Same], Same),
    method("sin", Float, &[], Same),
    method("cos", Float, &[], Same),
    method("sin_cos", Float, &[], TwoSame),
    method("tan", Float, &[], Same),
    method("asin", Float, &[], Same),
    method("acos", Float, &[], Same),
    method("atan", Float, &[], Same),
    method("atan2", Float, &[Same], Same),
    method("sinh", Float, &[], Same),
    method("cosh", Float, &[], Same),
    method("tanh", Float, &[], Same),
    method("asinh", Float, &[], Same),
    method("acosh", Float, &[], Same),
    method("atanh", Float, &[], Same),
    // ints: arithmetic
    method("pow", Int, &[U32], Same),
    method("abs_diff", Int, &[Same], ToUnsigned).means(Meaning::Operation(AbsDiff)),
    method("unsigned_abs", Signed, &[], ToUnsigned),
    method("is_positive", Signed, &[], Bool),
    method("is_negative", Signed, &[], Bool),
    method("isqrt", Int, &[], Same).fails(Check::Message(message::ROOT)),
    method("ilog", Int, &[Same], U32).fails(Check::Log),
    method("ilog2", Int, &[], U32).fails(Check::Message(message::LOG_ARGUMENT)),
    method("ilog10", Int, &[], U32).fails(Check::Message(message::LOG_ARGUMENT)),
    method("div_ceil", Unsigned, &[Same], Same).fails(Check::Div),
    method("is_multiple_of", Unsigned, &[Same], Bool),
    method("next_multiple_of", Unsigned, &[Same], Same).fails(Check::Rem),
    method("is_power_of_two", Unsigned, &[], Bool),
    method("next_power_of_two", Unsigned, &[], Same),
    method("cast_signed", Unsigned, &[], ToSigned),
    method("cast_unsigned", Signed, &[], ToUnsigned),
    // ints: what becomes of an overflow
    method("wrapping_add", Int, &[Same], Same).means(Meaning::Operator(Add)),
    method("wrapping_sub", Int, &[Same], Same).means(Meaning::Operator(Sub)),
    method("wrapping_mul", Int, &[Same], Same).means(Meaning::Operator(Mul)),
    method("wrapping_neg", Int, &[], Same),
    method("wrapping_abs", Signed, &[], Same),
    method("wrapping_pow", Int, &[U32], Same),
    method("wrapping_shl", Int, &[U32], Same),
    method("wrapping_shr", Int, &[U32], Same),
    method("wrapping_div", Int, &[Same], Same).fails(Check::Div),
    method("wrapping_rem", Int, &[Same], Same).fails(Check::Rem),
    method("wrapping_div_euclid", Int, &[Same], Same).fails(Check::Div),
    method("wrapping_rem_euclid", Int, &[Same], Same).fails(Check::Rem),
    method("wrapping_add_signed", Unsigned, &[ToSigned], Same),
    method("wrapping_sub_signed", Unsigned, &[ToSigned], Same),
    method("wrapping_add_unsigned", Signed, &[ToUnsigned], Same),
    method("wrapping_sub_unsigned", Signed, &[ToUnsigned], Same),
    method("saturating_add", Int, &[Same], Same).means(Meaning::Operation(SaturatingAdd)),
    method("saturating_sub", Int, &[Same], Same).means(Meaning::Operation(SaturatingSub)),
    method("saturating_mul", Int, &[Same], Same),
    method("saturating_neg", Signed, &[], Same),
    method("saturating_abs", Signed, &[], Same),
    method("saturating_pow", Int, &[U32], Same),
    method("saturating_div", Int, &[Same], Same).fails(Check::Div),
    method("saturating_add_signed", Unsigned, &[ToSigned], Same),
    method("saturating_sub_signed", Unsigned, &[ToSigned], Same),
    method("saturating_add_unsigned", Signed, &[ToUnsigned], Same),
    method("saturating_sub_unsigned", Signed, &[ToUnsigned], Same),
    method("overflowing_add", Int, &[Same], SameAndBool),
    method("overflowing_sub", Int, &[Same], SameAndBool),
    method("overflowing_mul", Int, &[Same], SameAndBool),
    method("overflowing_neg", Int, &[], SameAndBool),
    method("overflowing_abs", Signed, &[], SameAndBool),
    method("overflowing_pow", Int, &[U32], SameAndBool),
    method("overflowing_shl", Int, &[U32], SameAndBool),
    method("overflowing_shr", Int, &[U32], SameAndBool),
    method("overflowing_div", Int, &[Same], SameAndBool).fails(Check::Div),
    method("overflowing_rem", Int, &[Same], SameAndBool).fails(Check::Rem),
    method("overflowing_div_euclid", Int, &[Same], SameAndBool).fails(Check::Div),
    method("overflowing_rem_euclid", Int, &[Same], SameAndBool).fails(Check::Rem),
    method("overflowing_add_signed", Unsigned, &[ToSigned], SameAndBool),
    method("overflowing_sub_signed", Unsigned, &[ToSigned], SameAndBool),
    method("overflowing_add_unsigned", Signed, &[ToUnsigned], SameAndBool),
    method("overflowing_sub_unsigned", Signed, &[ToUnsigned], SameAndBool),
    method("strict_add", Int, &[Same], Same).fails(Check::Message(message::ADD)),
    method("strict_sub", Int, &[Same], Same).fails(Check::Message(message::SUB)),
    method("strict_mul", Int, &[Same], Same).fails(Check::Message(message::MUL)),
    method("strict_neg", Int, &[], Same).fails(Check::Message(message::NEG)),
    method("strict_abs", Signed, &[], Same).fails(Check::Message(message::NEG)),
    method("strict_pow", Int, &[U32], Same).fails(Check::Message(message::MUL)),
    method("strict_shl", Int, &[U32], Same).fails(Check::Message(message::SHL)),
    method("strict_shr", Int, &[U32], Same).fails(Check::Message(message::SHR)),
    method("strict_div", Int, &[Same], Same).fails(Check::Div),
    method("strict_rem", Int, &[Same], Same).fails(Check::Rem),
    method("strict_div_euclid", Int, &[Same], Same).fails(Check::Div),
    method("strict_rem_euclid", Int, &[Same], Same).fails(Check::Rem),
    method("strict_add_signed", Unsigned, &[ToSigned], Same).fails(Check::Message(message::ADD)),
    method("strict_sub_signed", Unsigned, &[ToSigned], Same).fails(Check::Message(message::SUB)),
    method("strict_add_unsigned", Signed, &[ToUnsigned], Same).fails(Check::Message(message::ADD)),
    method("strict_sub_unsigned", Signed, &[ToUnsigned], Same).fails(Check::Message(message::SUB)),
    method("unbounded_shl", Int, &[U32], Same),
    method("unbounded_shr", Int, &[U32], Same),
    method("carrying_add", Unsigned, &[Same, Bool], SameAndBool),
    method("borrowing_sub", Unsigned, &[Same, Bool], SameAndBool),
    method("carrying_mul", Unsigned, &[Same, Same], TwoSame),
    method("carrying_mul_add", Unsigned, &[Same, Same, Same], TwoSame),
    // ints: bits and bytes
    method("rotate_left", Int, &[U32], Same),
    method("rotate_right", Int, &[U32], Same),
    method("count_ones", Int, &[], U32),
    method("count_zeros", Int, &[], U32),
    method("leading_zeros", Int, &[], U32),
    method("leading_ones", Int, &[], U32),
    method("trailing_zeros", Int, &[], U32),
    method("trailing_ones", Int, &[], U32),
    method("swap_bytes", Int, &[], Same),
    method("reverse_bits", Int, &[], Same),
    method("to_be", Int, &[], Same),
    method("to_le", Int, &[], Same),
    method("from_be", Int, &[Same], Same).associated(),
    method("from_le", Int, &[Same], Same).associated(),
    // u8
    method("is_ascii", U8, &[], Bool),
    method("is_ascii_alphabetic", U8, &[], Bool),
    method("is_ascii_alphanumeric", U8, &[], Bool),
    method("is_ascii_control", U8, &[], Bool),
    method("is_ascii_digit", U8, &[], Bool),
    method("is_ascii_graphic", U8, &[], Bool),
    method("is_ascii_hexdigit", U8, &[], Bool),
    method("is_ascii_lowercase", U8, &[], Bool),
    method("is_ascii_punctuation", U8, &[], Bool),
    method("is_ascii_uppercase", U8, &[], Bool),
    method("is_ascii_whitespace", U8, &[], Bool),
    method("to_ascii_lowercase", U8, &[], Same),
    method("to_ascii_uppercase", U8, &[], Same),
];

const NOT_YET: &str = "it is not there yet";

/// Sorted by reason, as in the reference.
pub const UNSUPPORTED: &[Unsupported] = &[
    Unsupported {
        names: &[
            ("unchecked_add", 1),
            ("unchecked_mul", 1),
            ("unchecked_neg", 0),
            ("unchecked_shl", 1),
            ("unchecked_shr", 1),
            ("unchecked_sub", 1),
        ],
        of: Owner::Number,
        why: "it is unsafe",
        instead: "use the operator: it wraps without a check, so it is as fast",
    },
    Unsupported {
        names: &[("to_int_unchecked", 0)],
        of: Owner::Number,
        why: "it is unsafe",
        instead: "use `as`, which is as fast",
    },
    Unsupported {
        names: &[("classify", 0)],
        of: Owner::Number,
        why: "it returns an enum",
        instead: "use `is_nan()`, `is_infinite()`, `is_normal()`, `is_subnormal()` and `== 0.0`",
    },
    Unsupported {
        names: &[("from_str_radix", 2), ("to_string", 0), ("escape_ascii", 0), ("parse", 0)],
        of: Owner::Number,
        why: "it reads or writes text",
        instead: "convert text on the host",
    },
    Unsupported {
        names: &[("make_ascii_lowercase", 0), ("make_ascii_uppercase", 0)],
        of: Owner::Number,
        why: "it modifies its operand in place",
        instead: "assign `to_ascii_lowercase()` or `to_ascii_uppercase()`",
    },
    Unsupported {
        names: &[("eq_ignore_ascii_case", 1)],
        of: Owner::Number,
        why: "it takes a reference",
        instead: "compare the `to_ascii_lowercase()` of both",
    },
    Unsupported {
        names: &[("min_value", 0), ("max_value", 0)],
        of: Owner::Number,
        why: "it is deprecated",
        instead: "use `MIN` and `MAX`, as in `i32::MAX`",
    },
    Unsupported {
        names: &[("abs_sub", 1)],
        of: Owner::Number,
        why: "it is deprecated",
        instead: "use `(a - b).max(0.0)`",
    },
    Unsupported {
        names: &[("into", 0), ("try_into", 0), ("try_from", 1)],
        of: Owner::Value,
        why: "it does not name the type that it converts to",
        instead: "write `T::from(x)` if the conversion is lossless, otherwise `x as T`, and in generic code `x.cast::<T>()`",
    },
    Unsupported {
        names: &[("clone", 0), ("to_owned", 0)],
        of: Owner::Value,
        why: "all values of device code are `Copy`",
        instead: "remove it",
    },
    Unsupported {
        names: &[
            ("add", 1),
            ("sub", 1),
            ("mul", 1),
            ("div", 1),
            ("rem", 1),
            ("neg", 0),
            ("not", 0),
            ("bitand", 1),
            ("bitor", 1),
            ("bitxor", 1),
            ("shl", 1),
            ("shr", 1),
            ("eq", 1),
            ("ne", 1),
            ("lt", 1),
            ("le", 1),
            ("gt", 1),
            ("ge", 1),
        ],
        of: Owner::Number,
        why: "it is an operator",
        instead: "write the operator",
    },
    Unsupported {
        names: &[("into_iter", 0)],
        of: Owner::Slice,
        why: "it takes the elements out of an array",
        instead: "write `for v in a { … }`, or use `a.iter()`, as in `a.iter().sum()`",
    },
    Unsupported {
        names: &[
            ("sort", 0),
            ("sort_by", 1),
            ("sort_by_key", 1),
            ("sort_unstable", 0),
            ("sort_unstable_by", 1),
            ("sort_unstable_by_key", 1),
            ("sort_floats", 0),
            ("select_nth_unstable", 1),
        ],
        of: Owner::Slice,
        why: NOT_YET,
        instead: "sort a few values by insertion, with two loops; `anabranch::algorithms` sorts a buffer",
    },
    Unsupported {
        names: &[("windows", 1), ("array_windows", 0)],
        of: Owner::Slice,
        why: NOT_YET,
        instead: "loop over the index, `for k in 1..x.len()`, or over neighbours, `for (a, b) in x.iter().zip(&x[1..])`",
    },
    Unsupported {
        names: &[
            ("chunks", 1),
            ("chunks_exact", 1),
            ("array_chunks", 0),
            ("rchunks", 1),
            ("split_at", 1),
            ("split_first", 0),
            ("split_last", 0),
        ],
        of: Owner::Slice,
        why: NOT_YET,
        instead: "take a part by its range, `&x[a..b]`, or loop over the index",
    },
    Unsupported {
        names: &[("first", 0), ("last", 0), ("get", 1)],
        of: Owner::Slice,
        why: "it returns a reference that may not be there",
        instead: "use the index, and ask for it before: `if k < x.len() { x[k] } else { … }`",
    },
    Unsupported {
        names: &[("contains", 1), ("starts_with", 1), ("ends_with", 1), ("binary_search", 1)],
        of: Owner::Slice,
        why: NOT_YET,
        instead: "write a loop, or `x.iter().any(|v| *v == wanted)`",
    },
    Unsupported {
        names: &[("reverse", 0), ("swap", 2)],
        of: Owner::Slice,
        why: NOT_YET,
        instead: "two elements change places by `(x[a], x[b]) = (x[b], x[a])`",
    },
    Unsupported {
        names: &[("fill", 1)],
        of: Owner::Slice,
        why: NOT_YET,
        instead: "write a loop: `for v in &mut y[a..b] { *v = value; }`",
    },
    Unsupported {
        names: &[("copy_from_slice", 1), ("map", 1)],
        of: Owner::Slice,
        why: NOT_YET,
        instead: "write a loop: `for k in 0..y.len() { y[k] = f(x[k]); }`",
    },
    Unsupported {
        names: &[("to_vec", 0), ("concat", 0), ("join", 1), ("repeat", 1)],
        of: Owner::Slice,
        why: "device code allocates no memory",
        instead: "use an array whose length is a constant: `let mut few = [0.0; 16];`",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Every name of both tables, once.
    fn names() -> Vec<&'static str> {
        let refused = UNSUPPORTED.iter().flat_map(|r| r.names.iter().map(|(name, _)| *name));
        METHODS.iter().map(|m| m.name).chain(refused).collect()
    }

    #[test]
    fn a_name_stands_once() {
        let mut names = names();
        names.sort_unstable();
        let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    /// The messages of the table are those of Rust's own panics.
    #[test]
    fn failures_have_rusts_words() {
        let (zero, minus, min, max) = std::hint::black_box((0i32, -1i32, i32::MIN, i32::MAX));
        type Case = (&'static str, fn(i32, i32, i32, i32) -> i32);
        let cases: [Case; 15] = [
            ("isqrt", |_, minus, _, _| minus.isqrt()),
            ("ilog2", |zero, _, _, _| zero.ilog2() as i32),
            ("ilog10", |zero, _, _, _| zero.ilog10() as i32),
            ("strict_add", |_, _, _, max| max.strict_add(1)),
            ("strict_sub", |_, _, min, _| min.strict_sub(1)),
            ("strict_mul", |_, _, _, max| max.strict_mul(2)),
            ("strict_neg", |_, _, min, _| min.strict_neg()),
            ("strict_abs", |_, _, min, _| min.strict_abs()),
            ("strict_pow", |_, _, _, max| max.strict_pow(2)),
            ("strict_shl", |_, _, _, max| 1i32.strict_shl(max as u32)),
            ("strict_shr", |_, _, _, max| 1i32.strict_shr(max as u32)),
            ("strict_add_signed", |_, minus, _, _| 0u32.strict_add_signed(minus) as i32),
            ("strict_sub_signed", |_, _, _, max| 0u32.strict_sub_signed(max) as i32),
            ("strict_add_unsigned", |_, _, _, max| max.strict_add_unsigned(1)),
            ("strict_sub_unsigned", |_, _, min, _| min.strict_sub_unsigned(1)),
        ];
        let messages = METHODS.iter().filter(|m| matches!(m.check, Some(Check::Message(_)))).count();
        assert_eq!(messages, cases.len());
        for (name, panics) in cases {
            let payload = std::panic::catch_unwind(|| panics(zero, minus, min, max)).expect_err(name);
            let words = payload.downcast_ref::<&str>().copied().unwrap_or_default();
            let Some(Check::Message(ours)) = find(name).and_then(|m| m.check) else { panic!("{name}") };
            assert_eq!(ours, words, "{name}");
        }
    }

    /// The reference has each name in backquotes, and no other name of a method in its tables.
    #[test]
    fn the_reference_names_the_same_methods() {
        let text = include_str!("../../runtime/src/reference/methods.md");
        let rows =
            text.lines().filter(|line| line.starts_with('|')).map(|line| line.split('|').nth(1).unwrap_or_default());
        let written: Vec<_> = rows.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
        let names = names();
        let missing: Vec<_> = names.iter().filter(|name| !written.contains(name)).collect();
        let unknown: Vec<_> = written.iter().filter(|name| !names.contains(name)).collect();
        assert!(missing.is_empty(), "not in methods.md: {missing:?}");
        assert!(unknown.is_empty(), "only in methods.md: {unknown:?}");
    }
}
