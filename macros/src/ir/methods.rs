//! The methods of the primitive types that device code may call.

use super::Check;

/// A method of std's numeric types.
pub(crate) struct Method {
    /// Its name, in Rust and (as `ab::name`) in the C++ prelude.
    pub(crate) name: &'static str,
    /// Arguments after the receiver.
    pub(crate) args: usize,
    /// What can fail: the C++ helper then takes the context and a site.
    pub(crate) check: Option<Check>,
    /// The CPU twin calls a helper of the runtime instead of the method itself: the method panics, or overflows in
    /// debug builds, and device code means the same in every build.
    pub(crate) helper: bool,
}

const fn native(name: &'static str, args: usize) -> Method {
    Method { name, args, check: None, helper: false }
}

const fn helper(name: &'static str, args: usize) -> Method {
    Method { name, args, check: None, helper: true }
}

const fn checked(name: &'static str, args: usize, check: Check) -> Method {
    Method { name, args, check: Some(check), helper: true }
}

/// Looks a method up by name.
pub(crate) fn find(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|m| m.name == name)
}

/// Sorted by kind, so that the reference reads the same way.
pub(crate) const METHODS: &[Method] = &[
    // any number
    helper("abs", 0),
    native("signum", 0),
    native("min", 1),
    native("max", 1),
    checked("clamp", 2, Check::Clamp),
    checked("rem_euclid", 1, Check::Rem),
    checked("div_euclid", 1, Check::Div),
    // floats
    native("sqrt", 0),
    native("cbrt", 0),
    native("floor", 0),
    native("ceil", 0),
    native("round", 0),
    native("round_ties_even", 0),
    native("trunc", 0),
    native("fract", 0),
    native("recip", 0),
    native("copysign", 1),
    native("mul_add", 2),
    native("powi", 1),
    native("powf", 1),
    native("exp", 0),
    native("exp2", 0),
    native("exp_m1", 0),
    native("ln", 0),
    native("ln_1p", 0),
    native("log2", 0),
    native("log10", 0),
    native("sin", 0),
    native("cos", 0),
    native("tan", 0),
    native("asin", 0),
    native("acos", 0),
    native("atan", 0),
    native("atan2", 1),
    native("sinh", 0),
    native("cosh", 0),
    native("tanh", 0),
    native("hypot", 1),
    native("to_degrees", 0),
    native("to_radians", 0),
    native("to_bits", 0),
    native("is_nan", 0),
    native("is_finite", 0),
    native("is_infinite", 0),
    native("is_sign_negative", 0),
    native("is_sign_positive", 0),
    // ints
    helper("pow", 1),
    native("wrapping_add", 1),
    native("wrapping_sub", 1),
    native("wrapping_mul", 1),
    native("wrapping_neg", 0),
    native("wrapping_shl", 1),
    native("wrapping_shr", 1),
    checked("wrapping_div", 1, Check::Div),
    checked("wrapping_rem", 1, Check::Rem),
    native("saturating_add", 1),
    native("saturating_sub", 1),
    native("saturating_mul", 1),
    native("rotate_left", 1),
    native("rotate_right", 1),
    native("count_ones", 0),
    native("count_zeros", 0),
    native("leading_zeros", 0),
    native("trailing_zeros", 0),
    native("swap_bytes", 0),
    native("reverse_bits", 0),
    native("abs_diff", 1),
    native("unsigned_abs", 0),
    native("is_power_of_two", 0),
    native("is_positive", 0),
    native("is_negative", 0),
    checked("div_ceil", 1, Check::Div),
];
