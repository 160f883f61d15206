//! Operators and methods of ints and `bool`.

use super::table::{Table, casts, methods};
use super::values::Value;
use anabranch::private::op as twin;

/// A quotient, or why there is none: 0 for a zero divisor, 1 for an overflow.
fn quotient<T, Z: PartialEq + Default>(q: Option<T>, divisor: Z) -> Result<T, (u64, u64)> {
    q.ok_or((u64::from(divisor != Z::default()), 0))
}

/// A method that fails for a divisor of zero only.
macro_rules! nonzero {
    ($t:ident $T:ty: $($name:ident)*) => { $(
        $t.two_both(stringify!($name), |a: $T, b: $T| if b == 0 { Err((0, 0)) } else { Ok(a.$name(b)) }, twin::$name);
    )* };
}

/// A method that fails where another one gives none.
macro_rules! strict {
    ($t:ident $T:ty: $($name:ident $checked:ident)*) => { $(
        $t.one_both(stringify!($name), |a: $T| a.$checked().ok_or((0, 0)), twin::$name);
    )* };
    ($t:ident $T:ty, $U:ty: $($name:ident $checked:ident)*) => { $(
        $t.two_both(stringify!($name), |a: $T, b: $U| a.$checked(b).ok_or((0, 0)), twin::$name);
    )* };
}

/// Bytes of a number, and back.
macro_rules! bytes {
    ($t:ident $T:ident $U:ident: $($to:ident $from:ident)*) => { $(
        $t.one(stringify!($to), |a: $T| a.$to());
        let code = format!("put(out, ab::{}<{}>(ab::to_le_bytes(arg<{}>(in, 0))));", stringify!($from), $T::NAME, $U::NAME);
        $t.push($T::NAME, code, Table::one_cases::<$U>(), |x| $T::$from((x[0] as $U).to_le_bytes()));
    )* };
}
pub(crate) use bytes;

macro_rules! any_sign {
    ($t:ident $($T:ident $U:ident $S:ident;)*) => { $(
        $t.operator("add", |a: $T, b: $T| a.wrapping_add(b));
        $t.operator("sub", |a: $T, b: $T| a.wrapping_sub(b));
        $t.operator("mul", |a: $T, b: $T| a.wrapping_mul(b));
        $t.operator("div", |a: $T, b: $T| quotient(a.checked_div(b), b));
        $t.operator("rem", |a: $T, b: $T| quotient(a.checked_rem(b), b));
        $t.operator("and_", |a: $T, b: $T| a & b);
        $t.operator("or_", |a: $T, b: $T| a | b);
        $t.operator("xor_", |a: $T, b: $T| a ^ b);
        $t.operator("shl", |a: $T, b: u32| a.wrapping_shl(b));
        $t.operator("shr", |a: $T, b: u32| a.wrapping_shr(b));
        $t.operator("shl", |a: $T, b: i8| a.wrapping_shl(b as u32));
        $t.operator("shr", |a: $T, b: u128| a.wrapping_shr(b as u32));
        $t.one("inv", |a: $T| !a);
        $t.one("neg", |a: $T| a.wrapping_neg());
        casts!($t $T => i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64);

        $t.two_both("min", |a: $T, b: $T| a.min(b), twin::min);
        $t.two_both("max", |a: $T, b: $T| a.max(b), twin::max);
        $t.three_both("clamp", |x: $T, lo: $T, hi: $T| if lo <= hi { Ok(x.clamp(lo, hi)) } else { Err((0, 0)) }, twin::clamp);
        $t.two_both("rem_euclid", |a: $T, b: $T| quotient(a.checked_rem_euclid(b), b), twin::rem_euclid);
        $t.two_both("div_euclid", |a: $T, b: $T| quotient(a.checked_div_euclid(b), b), twin::div_euclid);
        $t.two_both("pow", |a: $T, n: u32| a.wrapping_pow(n), twin::pow);
        $t.one_both("isqrt", |a: $T| (a as i128 >= 0 || $T::MIN == 0).then(|| a.isqrt()).ok_or((0, 0)), twin::isqrt);
        $t.two_both("ilog", |a: $T, base: $T| if base < 2 { Err((1, 0)) } else { a.checked_ilog(base).ok_or((0, 0)) }, twin::ilog);
        strict!($t $T: ilog2 checked_ilog2 ilog10 checked_ilog10 strict_neg checked_neg);
        strict!($t $T, $T: strict_add checked_add strict_sub checked_sub strict_mul checked_mul);
        strict!($t $T, u32: strict_pow checked_pow strict_shl checked_shl strict_shr checked_shr);
        $t.two_both("strict_div", |a: $T, b: $T| quotient(a.checked_div(b), b), twin::strict_div);
        $t.two_both("strict_rem", |a: $T, b: $T| quotient(a.checked_rem(b), b), twin::strict_rem);
        $t.two_both("strict_div_euclid", |a: $T, b: $T| quotient(a.checked_div_euclid(b), b), twin::strict_div_euclid);
        $t.two_both("strict_rem_euclid", |a: $T, b: $T| quotient(a.checked_rem_euclid(b), b), twin::strict_rem_euclid);
        nonzero!($t $T: wrapping_div wrapping_rem wrapping_div_euclid wrapping_rem_euclid saturating_div
            overflowing_div overflowing_rem overflowing_div_euclid overflowing_rem_euclid);
        methods!($t two $T, $T: abs_diff midpoint wrapping_add wrapping_sub wrapping_mul saturating_add saturating_sub saturating_mul
            overflowing_add overflowing_sub overflowing_mul);
        methods!($t two $T, u32: wrapping_pow wrapping_shl wrapping_shr saturating_pow overflowing_pow overflowing_shl overflowing_shr
            unbounded_shl unbounded_shr rotate_left rotate_right);
        methods!($t one $T: wrapping_neg overflowing_neg count_ones count_zeros leading_zeros leading_ones trailing_zeros
            trailing_ones swap_bytes reverse_bits to_be to_le);
        $t.one(concat!("from_be<", stringify!($T), ">"), $T::from_be);
        $t.one(concat!("from_le<", stringify!($T), ">"), $T::from_le);
        bytes!($t $T $U: to_be_bytes from_be_bytes to_le_bytes from_le_bytes to_ne_bytes from_ne_bytes);
    )* };
}

macro_rules! signed {
    ($t:ident $($T:ident $U:ident;)*) => { $(
        $t.one_both("abs", |a: $T| a.wrapping_abs(), twin::abs);
        methods!($t one $T: signum unsigned_abs is_positive is_negative cast_unsigned wrapping_abs saturating_abs saturating_neg overflowing_abs);
        methods!($t two $T, $U: wrapping_add_unsigned wrapping_sub_unsigned saturating_add_unsigned saturating_sub_unsigned
            overflowing_add_unsigned overflowing_sub_unsigned);
        strict!($t $T: strict_abs checked_abs);
        strict!($t $T, $U: strict_add_unsigned checked_add_unsigned strict_sub_unsigned checked_sub_unsigned);
    )* };
}

macro_rules! unsigned {
    ($t:ident $($T:ident $S:ident;)*) => { $(
        methods!($t one $T: is_power_of_two cast_signed);
        methods!($t two $T, $T: is_multiple_of);
        methods!($t two $T, $S: wrapping_add_signed wrapping_sub_signed saturating_add_signed saturating_sub_signed
            overflowing_add_signed overflowing_sub_signed);
        strict!($t $T, $S: strict_add_signed checked_add_signed strict_sub_signed checked_sub_signed);
        nonzero!($t $T: div_ceil);
        $t.two_both("next_multiple_of", |a: $T, b: $T| match a.checked_rem(b) {
            None => Err((0, 0)),
            Some(0) => Ok(a),
            Some(r) => Ok(a.wrapping_add(b - r)),
        }, twin::next_multiple_of);
        $t.one_both("next_power_of_two", |a: $T| a.checked_next_power_of_two().unwrap_or(0), twin::next_power_of_two);
        let args = [0, 1, 2].map(|i| format!("arg<{}>(in, {i})", stringify!($T))).join(", ");
        let cases = Table::three_cases::<$T>();
        for (name, rust) in [("carrying_add", $T::carrying_add as fn($T, $T, bool) -> ($T, bool)), ("borrowing_sub", $T::borrowing_sub)] {
            let code = format!("put(out, ab::{name}({args} % 2 != 0));");
            $t.push($T::NAME, code, cases.clone(), move |x| rust(x[0] as $T, x[1] as $T, x[2] % 2 != 0));
        }
        let code = format!("put(out, ab::carrying_mul({args}));");
        $t.push($T::NAME, code, cases.clone(), |x| (x[0] as $T).carrying_mul(x[1] as $T, x[2] as $T));
        let code = format!("put(out, ab::carrying_mul_add({args}, ab::inv(arg<{}>(in, 0))));", stringify!($T));
        $t.push($T::NAME, code, cases, |x| (x[0] as $T).carrying_mul_add(x[1] as $T, x[2] as $T, !x[0] as $T));
    )* };
}

pub(crate) fn ints(t: &mut Table) {
    any_sign!(t i8 u8 i8; i16 u16 i16; i32 u32 i32; i64 u64 i64; i128 u128 i128; isize usize isize;);
    any_sign!(t u8 u8 i8; u16 u16 i16; u32 u32 i32; u64 u64 i64; u128 u128 i128; usize usize isize;);
    signed!(t i8 u8; i16 u16; i32 u32; i64 u64; i128 u128; isize usize;);
    unsigned!(t u8 i8; u16 i16; u32 i32; u64 i64; u128 i128; usize isize;);
    // Operands of which the launch has shown that they are small.
    t.two("narrow_min", |a: i16, b: i16| i32::from(a.min(b)));
    t.two("narrow_max", |a: i16, b: i16| i32::from(a.max(b)));
    t.two("narrow_saturating_sub", |a: u16, b: u16| i32::from(a.saturating_sub(b)));
    t.operator("and_", |a: bool, b: bool| a & b);
    t.operator("or_", |a: bool, b: bool| a | b);
    t.operator("xor_", |a: bool, b: bool| a ^ b);
    t.one("inv", |a: bool| !a);
    t.two_both("min", |a: bool, b: bool| a.min(b), twin::min);
    t.two_both("max", |a: bool, b: bool| a.max(b), twin::max);
    let clamp = |x: bool, lo: bool, hi: bool| if lo <= hi { Ok(x.clamp(lo, hi)) } else { Err((2, 0)) };
    t.three_both("clamp", clamp, twin::clamp);
    casts!(t bool => i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);
    t.one("from<i64>", |a: bool| i64::from(a));
    t.one("from<f32>", |a: u16| f32::from(a));
    t.one("from<u128>", |a: u64| u128::from(a));
    methods!(t one u8: is_ascii is_ascii_alphabetic is_ascii_alphanumeric is_ascii_control is_ascii_digit is_ascii_graphic
        is_ascii_hexdigit is_ascii_lowercase is_ascii_punctuation is_ascii_uppercase is_ascii_whitespace to_ascii_lowercase
        to_ascii_uppercase);
}
