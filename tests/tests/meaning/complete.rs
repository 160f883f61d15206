//! The tables leave nothing out: what a type of std has and device code supports is in a row of the
//! type.

use std::any::type_name_of_val;
use std::collections::BTreeSet;

use crate::operations::Operation;

/// The supported methods, and which of them a type has.
macro_rules! methods {
    ($($method:ident)*) => {
        const METHODS: &[&str] = &[$(stringify!($method)),*];

        /// Has every name, behind the type's own methods.
        trait Absent {
            $(fn $method() {})*
        }

        macro_rules! methods_of {
            ($T:ident) => {
                [$((stringify!($method), type_name_of_val(&$T::$method))),*]
            };
        }
    };
}
methods! {
    abs signum midpoint rem_euclid div_euclid to_be_bytes to_le_bytes to_ne_bytes from_be_bytes from_le_bytes
    from_ne_bytes sqrt floor ceil round round_ties_even trunc fract recip copysign mul_add next_up next_down
    to_degrees to_radians to_bits from_bits is_nan is_finite is_infinite is_normal is_subnormal is_sign_negative
    is_sign_positive cbrt hypot powi powf exp exp2 exp_m1 ln ln_1p log2 log10 log sin cos sin_cos tan asin acos
    atan atan2 sinh cosh tanh asinh acosh atanh pow abs_diff unsigned_abs is_positive is_negative isqrt ilog
    ilog2 ilog10 div_ceil is_multiple_of next_multiple_of is_power_of_two next_power_of_two cast_signed
    cast_unsigned wrapping_add wrapping_sub wrapping_mul wrapping_neg wrapping_abs wrapping_pow wrapping_shl
    wrapping_shr wrapping_div wrapping_rem wrapping_div_euclid wrapping_rem_euclid wrapping_add_signed
    wrapping_sub_signed wrapping_add_unsigned wrapping_sub_unsigned saturating_add saturating_sub saturating_mul
    saturating_neg saturating_abs saturating_pow saturating_div saturating_add_signed saturating_sub_signed
    saturating_add_unsigned saturating_sub_unsigned overflowing_add overflowing_sub overflowing_mul
    overflowing_neg overflowing_abs overflowing_pow overflowing_shl overflowing_shr overflowing_div
    overflowing_rem overflowing_div_euclid overflowing_rem_euclid overflowing_add_signed overflowing_sub_signed
    overflowing_add_unsigned overflowing_sub_unsigned strict_add strict_sub strict_mul strict_neg strict_abs
    strict_pow strict_shl strict_shr strict_div strict_rem strict_div_euclid strict_rem_euclid strict_add_signed
    strict_sub_signed strict_add_unsigned strict_sub_unsigned unbounded_shl unbounded_shr carrying_add
    borrowing_sub carrying_mul carrying_mul_add rotate_left rotate_right count_ones count_zeros leading_zeros
    leading_ones trailing_zeros trailing_ones swap_bytes reverse_bits to_be to_le from_be from_le is_ascii
    is_ascii_alphabetic is_ascii_alphanumeric is_ascii_control is_ascii_digit is_ascii_graphic is_ascii_hexdigit
    is_ascii_lowercase is_ascii_punctuation is_ascii_uppercase is_ascii_whitespace to_ascii_lowercase
    to_ascii_uppercase
}

macro_rules! absent {
    ($($T:ident)*) => { $(impl Absent for $T {})* };
}
absent! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool }

/// What comes from traits of std, at every type.
const OF_TRAITS: &[&str] = &["min", "max", "clamp"];

#[test]
#[allow(deprecated, reason = "`f64` has `is_positive` and `is_negative` of old")]
#[allow(unstable_name_collisions, reason = "of a method that is not stable yet, the one of `Absent` is meant")]
fn every_method_of_every_type_has_a_row() {
    let supported: BTreeSet<&str> = anabranch_core::methods::METHODS.iter().map(|method| method.name).collect();
    let here: BTreeSet<&str> = [METHODS, OF_TRAITS].concat().into_iter().collect();
    assert_eq!(here.symmetric_difference(&supported).collect::<Vec<_>>(), [&""; 0], "in one of the two lists only");

    let mut missing = Vec::new();
    let mut rows = 0;
    macro_rules! check {
        ($($T:ident: $($module:ident)*;)*) => { $({
            let device: Vec<String> = [$(crate::$module::LISTS),*].concat().concat().iter().map(Operation::calls).collect();
            let own = methods_of!($T).into_iter().filter(|(_, path)| !path.contains("Absent")).map(|(name, _)| name);
            for name in own.chain(OF_TRAITS.iter().copied()) {
                let calls = [format!(".{name}("), format!("::{name}(")];
                if !device.iter().any(|row| calls.iter().any(|call| row.contains(call))) {
                    missing.push(format!("{}::{name}", stringify!($T)));
                }
            }
            rows += device.len();
        })* };
    }
    check! {
        i8: of_i8; i16: of_i16; i32: of_i32; i64: of_i64; i128: of_i128; isize: of_isize;
        u8: of_u8 of_ascii; u16: of_u16; u32: of_u32; u64: of_u64; u128: of_u128; usize: of_usize;
        f32: of_f32; f64: of_f64; bool: of_bool;
    }
    assert_eq!(missing, ["f64::is_positive", "f64::is_negative"], "only what is deprecated has no row");
    eprintln!("{} methods, {rows} rows", supported.len());
}

/// The rows are of numbers, and these return an `Option`.
#[test]
fn every_checked_method_is_in_a_kernel_that_is_compared_with_std() {
    let kernels = include_str!("../../src/kernels/outcomes.rs");
    let missing: Vec<_> =
        anabranch_core::methods::CHECKED.iter().filter(|name| !kernels.contains(&format!(".{name}("))).collect();
    assert_eq!(missing, [&""; 0]);
}

#[test]
fn every_cast_has_a_row() {
    macro_rules! casts {
        ($($to:ident)*) => { [$(crate::$to::LISTS[0].len()),*] };
    }
    let casts = casts! {
        to_bool to_i8 to_i16 to_i32 to_i64 to_i128 to_isize to_u8 to_u16 to_u32 to_u64 to_u128 to_usize to_f32 to_f64
    };
    // `bool` becomes no float, and nothing becomes `bool`.
    assert_eq!(casts, [1, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 14, 14]);
}
