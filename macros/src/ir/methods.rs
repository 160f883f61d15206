//! The methods of the primitive types: those that device code may call, and why it may not call the others.
//!
//! The two tables name every stable inherent method of std's ints, floats and `bool`, and the methods of std's traits that
//! one would try; `methods.md` of the reference says the same to users.

use std::borrow::Cow;

use super::Check;

/// A method of std's primitive types.
pub(crate) struct Method {
    /// Its name, in Rust and (as `ab::name`) in the C++ prelude.
    pub(crate) name: &'static str,
    /// Arguments after the receiver.
    pub(crate) args: usize,
    /// Has no receiver: `f32::from_bits(x)`. The C++ helper takes the type as its template argument.
    pub(crate) associated: bool,
    /// What can fail: the C++ helper then takes the context and a site.
    pub(crate) check: Option<Check>,
    /// The CPU twin calls a helper of the runtime instead of the method itself: the method panics, or overflows in
    /// debug builds, and device code means the same in every build; or generic code has no such method.
    pub(crate) helper: bool,
}

/// Methods of std that device code does not have.
pub(crate) struct Refused {
    /// Their names.
    pub(crate) names: &'static [&'static str],
    /// The reason, and what to write instead; ends an error message.
    pub(crate) why_and_instead: &'static str,
}

/// Looks a method up by name.
pub(crate) fn find(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|m| m.name == name)
}

/// Why a method of std is not supported, and what to write instead.
pub(crate) fn refused(name: &str) -> Option<&'static str> {
    REFUSED.iter().find(|r| r.names.contains(&name)).map(|r| r.why_and_instead)
}

const fn native(name: &'static str, args: usize) -> Method {
    Method { name, args, associated: false, check: None, helper: false }
}

const fn associated(name: &'static str, args: usize) -> Method {
    Method { name, args, associated: true, check: None, helper: false }
}

const fn helper(name: &'static str, args: usize) -> Method {
    Method { name, args, associated: false, check: None, helper: true }
}

const fn checked(name: &'static str, args: usize, check: Check) -> Method {
    Method { name, args, associated: false, check: Some(check), helper: true }
}

const fn says(message: &'static str) -> Check {
    Check::Message(Cow::Borrowed(message))
}

const ADD: Check = says("attempt to add with overflow");
const SUB: Check = says("attempt to subtract with overflow");
const MUL: Check = says("attempt to multiply with overflow");
const NEG: Check = says("attempt to negate with overflow");
const SHL: Check = says("attempt to shift left with overflow");
const SHR: Check = says("attempt to shift right with overflow");
const LOG: Check = says("argument of integer logarithm must be positive");
const ROOT: Check = says("argument of integer square root cannot be negative");

/// Sorted by kind, as in the reference.
pub(crate) const METHODS: &[Method] = &[
    // whatever has an order
    helper("min", 1),
    helper("max", 1),
    checked("clamp", 2, Check::Clamp),
    // any number
    helper("abs", 0),
    native("signum", 0),
    native("midpoint", 1),
    checked("rem_euclid", 1, Check::Rem),
    checked("div_euclid", 1, Check::Div),
    native("to_be_bytes", 0),
    native("to_le_bytes", 0),
    native("to_ne_bytes", 0),
    associated("from_be_bytes", 1),
    associated("from_le_bytes", 1),
    associated("from_ne_bytes", 1),
    // floats: exact
    native("sqrt", 0),
    native("floor", 0),
    native("ceil", 0),
    native("round", 0),
    native("round_ties_even", 0),
    native("trunc", 0),
    native("fract", 0),
    native("recip", 0),
    native("copysign", 1),
    native("mul_add", 2),
    native("next_up", 0),
    native("next_down", 0),
    native("to_degrees", 0),
    native("to_radians", 0),
    native("to_bits", 0),
    associated("from_bits", 1),
    native("is_nan", 0),
    native("is_finite", 0),
    native("is_infinite", 0),
    native("is_normal", 0),
    native("is_subnormal", 0),
    native("is_sign_negative", 0),
    native("is_sign_positive", 0),
    // floats: rounded as the platform does
    native("cbrt", 0),
    native("hypot", 1),
    native("powi", 1),
    native("powf", 1),
    native("exp", 0),
    native("exp2", 0),
    native("exp_m1", 0),
    native("ln", 0),
    native("ln_1p", 0),
    native("log2", 0),
    native("log10", 0),
    native("log", 1),
    native("sin", 0),
    native("cos", 0),
    native("sin_cos", 0),
    native("tan", 0),
    native("asin", 0),
    native("acos", 0),
    native("atan", 0),
    native("atan2", 1),
    native("sinh", 0),
    native("cosh", 0),
    native("tanh", 0),
    native("asinh", 0),
    native("acosh", 0),
    native("atanh", 0),
    // ints: arithmetic
    helper("pow", 1),
    native("abs_diff", 1),
    native("unsigned_abs", 0),
    native("is_positive", 0),
    native("is_negative", 0),
    checked("isqrt", 0, ROOT),
    checked("ilog", 1, Check::Log),
    checked("ilog2", 0, LOG),
    checked("ilog10", 0, LOG),
    checked("div_ceil", 1, Check::Div),
    native("is_multiple_of", 1),
    checked("next_multiple_of", 1, Check::Rem),
    native("is_power_of_two", 0),
    helper("next_power_of_two", 0),
    native("cast_signed", 0),
    native("cast_unsigned", 0),
    // ints: what becomes of an overflow
    native("wrapping_add", 1),
    native("wrapping_sub", 1),
    native("wrapping_mul", 1),
    native("wrapping_neg", 0),
    native("wrapping_abs", 0),
    native("wrapping_pow", 1),
    native("wrapping_shl", 1),
    native("wrapping_shr", 1),
    checked("wrapping_div", 1, Check::Div),
    checked("wrapping_rem", 1, Check::Rem),
    checked("wrapping_div_euclid", 1, Check::Div),
    checked("wrapping_rem_euclid", 1, Check::Rem),
    native("wrapping_add_signed", 1),
    native("wrapping_sub_signed", 1),
    native("wrapping_add_unsigned", 1),
    native("wrapping_sub_unsigned", 1),
    native("saturating_add", 1),
    native("saturating_sub", 1),
    native("saturating_mul", 1),
    native("saturating_neg", 0),
    native("saturating_abs", 0),
    native("saturating_pow", 1),
    checked("saturating_div", 1, Check::Div),
    native("saturating_add_signed", 1),
    native("saturating_sub_signed", 1),
    native("saturating_add_unsigned", 1),
    native("saturating_sub_unsigned", 1),
    native("overflowing_add", 1),
    native("overflowing_sub", 1),
    native("overflowing_mul", 1),
    native("overflowing_neg", 0),
    native("overflowing_abs", 0),
    native("overflowing_pow", 1),
    native("overflowing_shl", 1),
    native("overflowing_shr", 1),
    checked("overflowing_div", 1, Check::Div),
    checked("overflowing_rem", 1, Check::Rem),
    checked("overflowing_div_euclid", 1, Check::Div),
    checked("overflowing_rem_euclid", 1, Check::Rem),
    native("overflowing_add_signed", 1),
    native("overflowing_sub_signed", 1),
    native("overflowing_add_unsigned", 1),
    native("overflowing_sub_unsigned", 1),
    checked("strict_add", 1, ADD),
    checked("strict_sub", 1, SUB),
    checked("strict_mul", 1, MUL),
    checked("strict_neg", 0, NEG),
    checked("strict_abs", 0, NEG),
    checked("strict_pow", 1, MUL),
    checked("strict_shl", 1, SHL),
    checked("strict_shr", 1, SHR),
    checked("strict_div", 1, Check::Div),
    checked("strict_rem", 1, Check::Rem),
    checked("strict_div_euclid", 1, Check::Div),
    checked("strict_rem_euclid", 1, Check::Rem),
    checked("strict_add_signed", 1, ADD),
    checked("strict_sub_signed", 1, SUB),
    checked("strict_add_unsigned", 1, ADD),
    checked("strict_sub_unsigned", 1, SUB),
    native("unbounded_shl", 1),
    native("unbounded_shr", 1),
    native("carrying_add", 2),
    native("borrowing_sub", 2),
    native("carrying_mul", 2),
    native("carrying_mul_add", 3),
    // ints: bits and bytes
    native("rotate_left", 1),
    native("rotate_right", 1),
    native("count_ones", 0),
    native("count_zeros", 0),
    native("leading_zeros", 0),
    native("leading_ones", 0),
    native("trailing_zeros", 0),
    native("trailing_ones", 0),
    native("swap_bytes", 0),
    native("reverse_bits", 0),
    native("to_be", 0),
    native("to_le", 0),
    associated("from_be", 1),
    associated("from_le", 1),
    // u8
    native("is_ascii", 0),
    native("is_ascii_alphabetic", 0),
    native("is_ascii_alphanumeric", 0),
    native("is_ascii_control", 0),
    native("is_ascii_digit", 0),
    native("is_ascii_graphic", 0),
    native("is_ascii_hexdigit", 0),
    native("is_ascii_lowercase", 0),
    native("is_ascii_punctuation", 0),
    native("is_ascii_uppercase", 0),
    native("is_ascii_whitespace", 0),
    native("to_ascii_lowercase", 0),
    native("to_ascii_uppercase", 0),
];

/// Sorted by reason, as in the reference.
pub(crate) const REFUSED: &[Refused] = &[
    Refused {
        names: &[
            "checked_abs",
            "checked_add",
            "checked_add_signed",
            "checked_add_unsigned",
            "checked_mul",
            "checked_neg",
            "checked_pow",
            "checked_shl",
            "checked_shr",
            "checked_sub",
            "checked_sub_signed",
            "checked_sub_unsigned",
        ],
        why_and_instead: "it gives an `Option`, which device code does not have; use `overflowing_…` of the same name and test its `.1`, or `strict_…`, which panics",
    },
    Refused {
        names: &["checked_div", "checked_div_euclid", "checked_rem", "checked_rem_euclid"],
        why_and_instead: "it gives an `Option`, which device code does not have; test the divisor for 0, then use `overflowing_…` of the same name",
    },
    Refused {
        names: &[
            "checked_ilog",
            "checked_ilog10",
            "checked_ilog2",
            "checked_isqrt",
            "checked_next_multiple_of",
            "checked_next_power_of_two",
        ],
        why_and_instead: "it gives an `Option`, which device code does not have; test the operands, then use the method without `checked_`",
    },
    Refused {
        names: &["checked_signed_diff"],
        why_and_instead: "it gives an `Option`, which device code does not have; use `a.wrapping_sub(b).cast_signed()`, which is wrong only if its sign is not that of `a >= b`",
    },
    Refused {
        names: &["then", "then_some"],
        why_and_instead: "it gives an `Option`, which device code does not have; use `if`",
    },
    Refused {
        names: &["unchecked_add", "unchecked_mul", "unchecked_neg", "unchecked_shl", "unchecked_shr", "unchecked_sub"],
        why_and_instead: "it is unsafe, and no faster than the operator, which wraps and is not checked in device code",
    },
    Refused { names: &["to_int_unchecked"], why_and_instead: "it is unsafe, and no faster than `as`" },
    Refused {
        names: &["cmp", "partial_cmp"],
        why_and_instead: "it gives an `Ordering`, which device code does not have; compare with `<`, `==` and the like",
    },
    Refused {
        names: &["total_cmp"],
        why_and_instead: "it gives an `Ordering`, which device code does not have; compare with `<` and test `is_nan()` and `is_sign_negative()` where they matter",
    },
    Refused {
        names: &["classify"],
        why_and_instead: "it gives an enum, which device code does not have; use `is_nan()`, `is_infinite()`, `is_normal()`, `is_subnormal()` and `== 0.0`",
    },
    Refused {
        names: &["from_str_radix", "to_string", "escape_ascii", "parse"],
        why_and_instead: "device code has no text; do that on the host",
    },
    Refused {
        names: &["make_ascii_lowercase", "make_ascii_uppercase"],
        why_and_instead: "it changes a value in place; assign `to_ascii_lowercase()` or `to_ascii_uppercase()`",
    },
    Refused {
        names: &["eq_ignore_ascii_case"],
        why_and_instead: "it takes a reference; compare the `to_ascii_lowercase()` of both",
    },
    Refused {
        names: &["min_value", "max_value"],
        why_and_instead: "it is deprecated; use `MIN` and `MAX`, as in `i32::MAX`",
    },
    Refused { names: &["abs_sub"], why_and_instead: "it is deprecated; use `(a - b).max(0.0)`" },
    Refused {
        names: &["into", "try_into", "try_from"],
        why_and_instead: "convert with `T::from(x)` where nothing can be lost, else with `as`",
    },
    Refused { names: &["clone", "to_owned"], why_and_instead: "all values of device code are `Copy`: leave it out" },
    Refused {
        names: &[
            "add", "sub", "mul", "div", "rem", "neg", "not", "bitand", "bitor", "bitxor", "shl", "shr", "eq", "ne",
            "lt", "le", "gt", "ge",
        ],
        why_and_instead: "write the operator",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Every name of both tables, once.
    fn names() -> Vec<&'static str> {
        let refused = REFUSED.iter().flat_map(|r| r.names.iter().copied());
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
            let Some(Check::Message(ours)) = find(name).and_then(|m| m.check.clone()) else { panic!("{name}") };
            assert_eq!(ours, words, "{name}");
        }
    }

    /// The reference has each name in backquotes, and no other name of a method in its tables.
    #[test]
    fn the_reference_names_the_same_methods() {
        let text = include_str!("../../../runtime/src/reference/methods.md");
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
