//! Arithmetic of device code on the CPU. It has release-mode semantics in every build. Failures
//! have a location, and do not call the panic hook.
//!
//! The traits are supertraits of the public ones in `number.rs`. Their items begin with `ab_`, so
//! that no name is ambiguous in a user's generic code, where both are in scope.

mod methods;

pub use methods::*;

use anabranch_core::check::message;

use super::check::fail;
use super::scalar::Scalar;

/// A type with arithmetic.
#[diagnostic::on_unimplemented(
    message = "device code cannot compute with `{Self}`",
    label = "`+ - * / %` take two numbers of the same type"
)]
pub trait Arithmetic: Scalar + Extremes {
    #![allow(missing_docs)] // the operators of Rust, wrapping and checked as above; `as`
    fn ab_add(self, other: Self) -> Self;
    fn ab_sub(self, other: Self) -> Self;
    fn ab_mul(self, other: Self) -> Self;
    fn ab_div(self, other: Self) -> Self;
    fn ab_rem(self, other: Self) -> Self;
    fn ab_div_euclid(self, other: Self) -> Self;
    fn ab_rem_euclid(self, other: Self) -> Self;
    fn ab_as<U: Arithmetic>(self) -> U;
    fn ab_from_signed(x: i128) -> Self;
    fn ab_from_unsigned(x: u128) -> Self;
    fn ab_from_single(x: f32) -> Self;
    fn ab_from_double(x: f64) -> Self;
}

/// A signed number.
#[diagnostic::on_unimplemented(message = "cannot apply `-` or `abs` to `{Self}`", label = "`{Self}` has no sign")]
pub trait SignedArithmetic: Arithmetic {
    #![allow(missing_docs)]
    fn ab_neg(self) -> Self;
    fn ab_abs(self) -> Self;
    fn ab_signum(self) -> Self;
}

/// The operators of integers.
#[diagnostic::on_unimplemented(message = "`{Self}` is not an integer", label = "expected an integer")]
pub trait Shifts: Arithmetic {
    #![allow(missing_docs)]
    fn ab_shl(self, count: u32) -> Self;
    fn ab_shr(self, count: u32) -> Self;
    fn ab_low_bits(self) -> u32;
}

/// The quotient, or a failure with its reason.
macro_rules! quotient {
    ($checked:expr, $divisor:expr) => {
        match $checked {
            Some(quotient) => quotient,
            None => fail(if $divisor == 0 { message::DIV_BY_ZERO } else { message::DIV_OVERFLOW }),
        }
    };
}
/// The remainder, or a failure with its reason.
macro_rules! remainder {
    ($checked:expr, $divisor:expr) => {
        match $checked {
            Some(remainder) => remainder,
            None => fail(if $divisor == 0 { message::REM_BY_ZERO } else { message::REM_OVERFLOW }),
        }
    };
}
use {quotient, remainder};

/// `as`. Integers convert through the widest type of the same signedness, which gives the same
/// result as a direct conversion.
macro_rules! conversions {
    ($t:ident $widest:ident $from:ident) => {
        #[inline(always)]
        fn ab_as<U: Arithmetic>(self) -> U {
            U::$from(self as $widest)
        }
        #[inline(always)]
        fn ab_from_signed(x: i128) -> Self {
            x as $t
        }
        #[inline(always)]
        fn ab_from_unsigned(x: u128) -> Self {
            x as $t
        }
        #[inline(always)]
        fn ab_from_single(x: f32) -> Self {
            x as $t
        }
        #[inline(always)]
        fn ab_from_double(x: f64) -> Self {
            x as $t
        }
    };
}

macro_rules! int {
    ($($t:ident $widest:ident $from:ident;)*) => { $(
        impl Arithmetic for $t {
            #[inline(always)]
            fn ab_add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn ab_sub(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)]
            fn ab_mul(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline(always)]
            #[track_caller]
            fn ab_div(self, other: Self) -> Self { quotient!(self.checked_div(other), other) }
            #[inline(always)]
            #[track_caller]
            fn ab_rem(self, other: Self) -> Self { remainder!(self.checked_rem(other), other) }
            #[inline(always)]
            #[track_caller]
            fn ab_div_euclid(self, other: Self) -> Self { quotient!(self.checked_div_euclid(other), other) }
            #[inline(always)]
            #[track_caller]
            fn ab_rem_euclid(self, other: Self) -> Self { remainder!(self.checked_rem_euclid(other), other) }
            conversions! { $t $widest $from }
        }
        impl Shifts for $t {
            #[inline(always)]
            fn ab_shl(self, count: u32) -> Self { self.wrapping_shl(count) }
            #[inline(always)]
            fn ab_shr(self, count: u32) -> Self { self.wrapping_shr(count) }
            #[inline(always)]
            #[allow(clippy::cast_lossless)] // truncates the wide types: shifts mask
            fn ab_low_bits(self) -> u32 { self as u32 }
        }
    )* };
}
int! {
    i8 i128 ab_from_signed; i16 i128 ab_from_signed; i32 i128 ab_from_signed;
    i64 i128 ab_from_signed; i128 i128 ab_from_signed; isize i128 ab_from_signed;
    u8 u128 ab_from_unsigned; u16 u128 ab_from_unsigned; u32 u128 ab_from_unsigned;
    u64 u128 ab_from_unsigned; u128 u128 ab_from_unsigned; usize u128 ab_from_unsigned;
}

macro_rules! signed_int {
    ($($t:ident)*) => { $(
        impl SignedArithmetic for $t {
            #[inline(always)]
            fn ab_neg(self) -> Self { self.wrapping_neg() }
            #[inline(always)]
            fn ab_abs(self) -> Self { self.wrapping_abs() }
            #[inline(always)]
            fn ab_signum(self) -> Self { self.signum() }
        }
    )* };
}
signed_int! { i8 i16 i32 i64 i128 isize }

macro_rules! float {
    ($($t:ident $from:ident)*) => { $(
        impl Arithmetic for $t {
            #[inline(always)]
            fn ab_add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn ab_sub(self, other: Self) -> Self { self - other }
            #[inline(always)]
            fn ab_mul(self, other: Self) -> Self { self * other }
            #[inline(always)]
            fn ab_div(self, other: Self) -> Self { self / other }
            #[inline(always)]
            fn ab_rem(self, other: Self) -> Self { self % other }
            #[inline(always)]
            fn ab_div_euclid(self, other: Self) -> Self { self.div_euclid(other) }
            #[inline(always)]
            fn ab_rem_euclid(self, other: Self) -> Self { self.rem_euclid(other) }
            conversions! { $t $t $from }
        }
        impl SignedArithmetic for $t {
            #[inline(always)]
            fn ab_neg(self) -> Self { -self }
            #[inline(always)]
            fn ab_abs(self) -> Self { self.abs() }
            #[inline(always)]
            fn ab_signum(self) -> Self { self.signum() }
        }
    )* };
}
float! { f32 ab_from_single f64 ab_from_double }
