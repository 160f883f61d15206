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

const fn infallible(name: &'static str, args: usize) -> Method {
    Method { name, args, associated: false, check: None }
}

const fn associated(name: &'static str, args: usize) -> Method {
    Method { name, args, associated: true, check: None }
}

const fn checked(name: &'static str, args: usize, check: Check) -> Method {
    Method { name, args, associated: false, check: Some(check) }
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
    infallible("min", 1),
    infallible("max", 1),
    checked("clamp", 2, Check::Clamp),
    // any number
    infallible("abs", 0),
    infallible("signum", 0),
    infallible("midpoint", 1),
    checked("rem_euclid", 1, Check::Rem),
    checked("div_euclid", 1, Check::Div),
    infallible("to_be_bytes", 0),
    infallible("to_le_bytes", 0),
    infallible("to_ne_bytes", 0),
    associated("from_be_bytes", 1),
    associated("from_le_bytes", 1),
    associated("from_ne_bytes", 1),
    // floats: exact
    infallible("sqrt", 0),
    infallible("floor", 0),
    infallible("ceil", 0),
    infallible("round", 0),
    infallible("round_ties_even", 0),
    infallible("trunc", 0),
    infallible("fract", 0),
    infallible("recip", 0),
    infallible("copysign", 1),
    infallible("mul_add", 2),
    infallible("next_up", 0),
    infallible("next_down", 0),
    infallible("to_degrees", 0),
    infallible("to_radians", 0),
    infallible("to_bits", 0),
    associated("from_bits", 1),
    infallible("is_nan", 0),
    infallible("is_finite", 0),
    infallible("is_infinite", 0),
    infallible("is_normal", 0),
    infallible("is_subnormal", 0),
    infallible("is_sign_negative", 0),
    infallible("is_sign_positive", 0),
    // floats: rounded as the platform does
    infallible("cbrt", 0),
    infallible("hypot", 1),
    infallible("powi", 1),
    infallible("powf", 1),
    infallible("exp", 0),
    infallible("exp2", 0),
    infallible("exp_m1", 0),
    infallible("ln", 0),
    infallible("ln_1p", 0),
    infallible("log2", 0),
    infallible("log10", 0),
    infallible("log", 1),
    infallible("sin", 0),
    infallible("cos", 0),
    infallible("sin_cos", 0),
    infallible("tan", 0),
    infallible("asin", 0),
    infallible("acos", 0),
    infallible("atan", 0),
    infallible("atan2", 1),
    infallible("sinh", 0),
    infallible("cosh", 0),
    infallible("tanh", 0),
    infallible("asinh", 0),
    infallible("acosh", 0),
    infallible("atanh", 0),
    // ints: arithmetic
    infallible("pow", 1),
    infallible("abs_diff", 1),
    infallible("unsigned_abs", 0),
    infallible("is_positive", 0),
    infallible("is_negative", 0),
    checked("isqrt", 0, ROOT),
    checked("ilog", 1, Check::Log),
    checked("ilog2", 0, LOG),
    checked("ilog10", 0, LOG),
    checked("div_ceil", 1, Check::Div),
    infallible("is_multiple_of", 1),
    checked("next_multiple_of", 1, Check::Rem),
    infallible("is_power_of_two", 0),
    infallible("next_power_of_two", 0),
    infallible("cast_signed", 0),
    infallible("cast_unsigned", 0),
    // ints: what becomes of an overflow
    infallible("wrapping_add", 1),
    infallible("wrapping_sub", 1),
    infallible("wrapping_mul", 1),
    infallible("wrapping_neg", 0),
    infallible("wrapping_abs", 0),
    infallible("wrapping_pow", 1),
    infallible("wrapping_shl", 1),
    infallible("wrapping_shr", 1),
    checked("wrapping_div", 1, Check::Div),
    checked("wrapping_rem", 1, Check::Rem),
    checked("wrapping_div_euclid", 1, Check::Div),
    checked("wrapping_rem_euclid", 1, Check::Rem),
    infallible("wrapping_add_signed", 1),
    infallible("wrapping_sub_signed", 1),
    infallible("wrapping_add_unsigned", 1),
    infallible("wrapping_sub_unsigned", 1),
    infallible("saturating_add", 1),
    infallible("saturating_sub", 1),
    infallible("saturating_mul", 1),
    infallible("saturating_neg", 0),
    infallible("saturating_abs", 0),
    infallible("saturating_pow", 1),
    checked("saturating_div", 1, Check::Div),
    infallible("saturating_add_signed", 1),
    infallible("saturating_sub_signed", 1),
    infallible("saturating_add_unsigned", 1),
    infallible("saturating_sub_unsigned", 1),
    infallible("overflowing_add", 1),
    infallible("overflowing_sub", 1),
    infallible("overflowing_mul", 1),
    infallible("overflowing_neg", 0),
    infallible("overflowing_abs", 0),
    infallible("overflowing_pow", 1),
    infallible("overflowing_shl", 1),
    infallible("overflowing_shr", 1),
    checked("overflowing_div", 1, Check::Div),
    checked("overflowing_rem", 1, Check::Rem),
    checked("overflowing_div_euclid", 1, Check::Div),
    checked("overflowing_rem_euclid", 1, Check::Rem),
    infallible("overflowing_add_signed", 1),
    infallible("overflowing_sub_signed", 1),
    infallible("overflowing_add_unsigned", 1),
    infallible("overflowing_sub_unsigned", 1),
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
    infallible("unbounded_shl", 1),
    infallible("unbounded_shr", 1),
    infallible("carrying_add", 2),
    infallible("borrowing_sub", 2),
    infallible("carrying_mul", 2),
    infallible("carrying_mul_add", 3),
    // ints: bits and bytes
    infallible("rotate_left", 1),
    infallible("rotate_right", 1),
    infallible("count_ones", 0),
    infallible("count_zeros", 0),
    infallible("leading_zeros", 0),
    infallible("leading_ones", 0),
    infallible("trailing_zeros", 0),
    infallible("trailing_ones", 0),
    infallible("swap_bytes", 0),
    infallible("reverse_bits", 0),
    infallible("to_be", 0),
    infallible("to_le", 0),
    associated("from_be", 1),
    associated("from_le", 1),
    // u8
    infallible("is_ascii", 0),
    infallible("is_ascii_alphabetic", 0),
    infallible("is_ascii_alphanumeric", 0),
    infallible("is_ascii_control", 0),
    infallible("is_ascii_digit", 0),
    infallible("is_ascii_graphic", 0),
    infallible("is_ascii_hexdigit", 0),
    infallible("is_ascii_lowercase", 0),
    infallible("is_ascii_punctuation", 0),
    infallible("is_ascii_uppercase", 0),
    infallible("is_ascii_whitespace", 0),
    infallible("to_ascii_lowercase", 0),
    infallible("to_ascii_uppercase", 0),
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
