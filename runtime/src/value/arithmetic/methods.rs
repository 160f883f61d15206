//! Methods of numbers as functions: those that panic, or overflow in debug builds, and those that
//! only signed or only unsigned integers have. They have release-mode semantics and fail at the
//! caller's location.

use super::super::check::fail;
use super::{Arithmetic, Shifts, SignedArithmetic};
use super::{quotient, remainder};
use anabranch_core::check::message;

/// Unwraps an `Option`, or fails.
macro_rules! or_fail {
    ($option:expr, $message:expr) => {
        match $option {
            Some(value) => value,
            None => fail($message),
        }
    };
}

/// A division that fails only if the divisor is zero.
macro_rules! nonzero {
    ($divisor:expr, $message:expr, $result:expr) => {
        if $divisor == 0 { fail($message) } else { $result }
    };
}

/// A type in a signature of [`methods!`], for the type parameter of the function.
macro_rules! of {
    ($T:ident Value) => {
        $T
    };
    ($T:ident Pair) => {
        ($T, bool)
    };
    ($T:ident Twin) => {
        $T::Twin
    };
    ($T:ident Both) => {
        ($T, $T)
    };
    ($T:ident u32) => {
        u32
    };
    ($T:ident bool) => {
        bool
    };
}

/// Defines a trait with a function for each method, the implementations, and a free function for
/// each method.
macro_rules! methods {
    (@impl $trait:ident $body:tt $($t:ident $($twin:ident)?;)*) => { $( methods! { @one $trait $body $t $($twin)? } )* };
    (@one $trait:ident { $($hidden:ident $name:ident($a:ident $(, $b:ident: $B:ident)*) -> $R:ident $body:block)* } $t:ident $($twin:ident)?) => {
        impl $trait for $t {
            $(type Twin = $twin;)?
            $(
                #[inline(always)]
                #[track_caller]
                fn $hidden($a: Self $(, $b: of!(Self $B))*) -> of!(Self $R) $body
            )*
        }
    };
    (
        $(#[$doc:meta])* trait $trait:ident: $super:ident $((Twin: $twin:ident))? for { $($types:tt)* }
        $($hidden:ident $name:ident($a:ident $(, $b:ident: $B:ident)*) -> $R:ident $body:block)*
    ) => {
        $(#[$doc])*
        pub trait $trait: $super {
            #![allow(missing_docs)] // the methods of std
            $(type Twin: $twin;)?
            $( fn $hidden($a: Self $(, $b: of!(Self $B))*) -> of!(Self $R); )*
        }
        methods! { @impl $trait { $($hidden $name($a $(, $b: $B)*) -> $R $body)* } $($types)* }
        $(
            #[doc = concat!("`a.", stringify!($name), "(…)` of device code.")]
            #[inline(always)]
            #[track_caller]
            pub fn $name<T: $trait>($a: T $(, $b: of!(T $B))*) -> of!(T $R) { T::$hidden($a $(, $b)*) }
        )*
    };
}

methods! {
    /// Methods of every integer.
    #[diagnostic::on_unimplemented(message = "`{Self}` is not an integer", label = "expected an integer")]
    trait IntArithmetic: Shifts for { i8; i16; i32; i64; i128; isize; u8; u16; u32; u64; u128; usize; }
    ab_pow pow(a, n: u32) -> Value { a.wrapping_pow(n) }
    ab_isqrt isqrt(a) -> Value { if a < Self::default() { fail(message::ROOT) } else { a.isqrt() } }
    ab_ilog ilog(a, base: Value) -> u32 { if base < 2 { fail(message::LOG_BASE) } else { or_fail!(a.checked_ilog(base), message::LOG_ARGUMENT) } }
    ab_ilog2 ilog2(a) -> u32 { or_fail!(a.checked_ilog2(), message::LOG_ARGUMENT) }
    ab_ilog10 ilog10(a) -> u32 { or_fail!(a.checked_ilog10(), message::LOG_ARGUMENT) }
    ab_wrapping_div wrapping_div(a, b: Value) -> Value { nonzero!(b, message::DIV_BY_ZERO, a.wrapping_div(b)) }
    ab_wrapping_rem wrapping_rem(a, b: Value) -> Value { nonzero!(b, message::REM_BY_ZERO, a.wrapping_rem(b)) }
    ab_wrapping_div_euclid wrapping_div_euclid(a, b: Value) -> Value { nonzero!(b, message::DIV_BY_ZERO, a.wrapping_div_euclid(b)) }
    ab_wrapping_rem_euclid wrapping_rem_euclid(a, b: Value) -> Value { nonzero!(b, message::REM_BY_ZERO, a.wrapping_rem_euclid(b)) }
    ab_overflowing_div overflowing_div(a, b: Value) -> Pair { nonzero!(b, message::DIV_BY_ZERO, a.overflowing_div(b)) }
    ab_overflowing_rem overflowing_rem(a, b: Value) -> Pair { nonzero!(b, message::REM_BY_ZERO, a.overflowing_rem(b)) }
    ab_overflowing_div_euclid overflowing_div_euclid(a, b: Value) -> Pair { nonzero!(b, message::DIV_BY_ZERO, a.overflowing_div_euclid(b)) }
    ab_overflowing_rem_euclid overflowing_rem_euclid(a, b: Value) -> Pair { nonzero!(b, message::REM_BY_ZERO, a.overflowing_rem_euclid(b)) }
    ab_saturating_div saturating_div(a, b: Value) -> Value { nonzero!(b, message::DIV_BY_ZERO, a.saturating_div(b)) }
    ab_strict_add strict_add(a, b: Value) -> Value { or_fail!(a.checked_add(b), message::ADD) }
    ab_strict_sub strict_sub(a, b: Value) -> Value { or_fail!(a.checked_sub(b), message::SUB) }
    ab_strict_mul strict_mul(a, b: Value) -> Value { or_fail!(a.checked_mul(b), message::MUL) }
    ab_strict_div strict_div(a, b: Value) -> Value { quotient!(a.checked_div(b), b) }
    ab_strict_rem strict_rem(a, b: Value) -> Value { remainder!(a.checked_rem(b), b) }
    ab_strict_div_euclid strict_div_euclid(a, b: Value) -> Value { quotient!(a.checked_div_euclid(b), b) }
    ab_strict_rem_euclid strict_rem_euclid(a, b: Value) -> Value { remainder!(a.checked_rem_euclid(b), b) }
    ab_strict_neg strict_neg(a) -> Value { or_fail!(a.checked_neg(), message::NEG) }
    ab_strict_pow strict_pow(a, n: u32) -> Value { or_fail!(a.checked_pow(n), message::MUL) }
    ab_strict_shl strict_shl(a, n: u32) -> Value { or_fail!(a.checked_shl(n), message::SHL) }
    ab_strict_shr strict_shr(a, n: u32) -> Value { or_fail!(a.checked_shr(n), message::SHR) }
}

methods! {
    /// Methods of the signed integers.
    #[diagnostic::on_unimplemented(message = "`{Self}` is not a signed integer", label = "expected a signed integer")]
    trait SignedMethods: IntArithmetic (Twin: IntArithmetic) for { i8 u8; i16 u16; i32 u32; i64 u64; i128 u128; isize usize; }
    ab_strict_abs strict_abs(a) -> Value { or_fail!(a.checked_abs(), message::NEG) }
    ab_strict_add_unsigned strict_add_unsigned(a, b: Twin) -> Value { or_fail!(a.checked_add_unsigned(b), message::ADD) }
    ab_strict_sub_unsigned strict_sub_unsigned(a, b: Twin) -> Value { or_fail!(a.checked_sub_unsigned(b), message::SUB) }
    ab_is_negative is_negative(a) -> bool { a.is_negative() }
    ab_is_positive is_positive(a) -> bool { a.is_positive() }
    ab_cast_unsigned cast_unsigned(a) -> Twin { a.cast_unsigned() }
    ab_unsigned_abs unsigned_abs(a) -> Twin { a.unsigned_abs() }
    ab_saturating_abs saturating_abs(a) -> Value { a.saturating_abs() }
    ab_saturating_neg saturating_neg(a) -> Value { a.saturating_neg() }
    ab_wrapping_abs wrapping_abs(a) -> Value { a.wrapping_abs() }
    ab_overflowing_abs overflowing_abs(a) -> Pair { a.overflowing_abs() }
    ab_saturating_add_unsigned saturating_add_unsigned(a, b: Twin) -> Value { a.saturating_add_unsigned(b) }
    ab_saturating_sub_unsigned saturating_sub_unsigned(a, b: Twin) -> Value { a.saturating_sub_unsigned(b) }
    ab_wrapping_add_unsigned wrapping_add_unsigned(a, b: Twin) -> Value { a.wrapping_add_unsigned(b) }
    ab_wrapping_sub_unsigned wrapping_sub_unsigned(a, b: Twin) -> Value { a.wrapping_sub_unsigned(b) }
    ab_overflowing_add_unsigned overflowing_add_unsigned(a, b: Twin) -> Pair { a.overflowing_add_unsigned(b) }
    ab_overflowing_sub_unsigned overflowing_sub_unsigned(a, b: Twin) -> Pair { a.overflowing_sub_unsigned(b) }
}

methods! {
    /// Methods of the unsigned integers.
    #[diagnostic::on_unimplemented(message = "`{Self}` is not an unsigned integer", label = "expected an unsigned integer")]
    trait UnsignedMethods: IntArithmetic (Twin: IntArithmetic) for { u8 i8; u16 i16; u32 i32; u64 i64; u128 i128; usize isize; }
    ab_div_ceil div_ceil(a, b: Value) -> Value { nonzero!(b, message::DIV_BY_ZERO, a.div_ceil(b)) }
    ab_next_multiple_of next_multiple_of(a, b: Value) -> Value {
        let remainder = nonzero!(b, message::REM_BY_ZERO, a % b);
        if remainder == 0 { a } else { a.wrapping_add(b - remainder) }
    }
    ab_next_power_of_two next_power_of_two(a) -> Value { a.checked_next_power_of_two().unwrap_or(0) }
    ab_strict_add_signed strict_add_signed(a, b: Twin) -> Value { or_fail!(a.checked_add_signed(b), message::ADD) }
    ab_strict_sub_signed strict_sub_signed(a, b: Twin) -> Value { or_fail!(a.checked_sub_signed(b), message::SUB) }
    ab_is_power_of_two is_power_of_two(a) -> bool { a.is_power_of_two() }
    ab_is_multiple_of is_multiple_of(a, b: Value) -> bool { a.is_multiple_of(b) }
    ab_cast_signed cast_signed(a) -> Twin { a.cast_signed() }
    ab_saturating_add_signed saturating_add_signed(a, b: Twin) -> Value { a.saturating_add_signed(b) }
    ab_saturating_sub_signed saturating_sub_signed(a, b: Twin) -> Value { a.saturating_sub_signed(b) }
    ab_wrapping_add_signed wrapping_add_signed(a, b: Twin) -> Value { a.wrapping_add_signed(b) }
    ab_wrapping_sub_signed wrapping_sub_signed(a, b: Twin) -> Value { a.wrapping_sub_signed(b) }
    ab_overflowing_add_signed overflowing_add_signed(a, b: Twin) -> Pair { a.overflowing_add_signed(b) }
    ab_overflowing_sub_signed overflowing_sub_signed(a, b: Twin) -> Pair { a.overflowing_sub_signed(b) }
    ab_carrying_add carrying_add(a, b: Value, carry: bool) -> Pair { a.carrying_add(b, carry) }
    ab_borrowing_sub borrowing_sub(a, b: Value, borrow: bool) -> Pair { a.borrowing_sub(b, borrow) }
    ab_carrying_mul carrying_mul(a, b: Value, carry: Value) -> Both { a.carrying_mul(b, carry) }
    ab_carrying_mul_add carrying_mul_add(a, b: Value, carry: Value, add: Value) -> Both { a.carrying_mul_add(b, carry, add) }
}

/// A type with `min`, `max` and `clamp`: numbers, `bool`, and tuples and arrays of ordered types.
#[diagnostic::on_unimplemented(message = "`{Self}` has no `min`, `max` and `clamp`", label = "not ordered")]
pub trait Extremes: Copy {
    #![allow(missing_docs)] // the methods of std
    fn ab_min(self, other: Self) -> Self;
    fn ab_max(self, other: Self) -> Self;
    fn ab_clamp(self, lo: Self, hi: Self) -> Self;
}

/// Implements the trait with [`Ord`]. A blanket implementation is not possible: floats do not
/// implement `Ord`, but std might add it.
macro_rules! ordered {
    ($($words:ident [$($generic:tt)*] $t:ty;)*) => { $(
        impl<$($generic)*> Extremes for $t {
            #[inline(always)]
            fn ab_min(self, other: Self) -> Self { Ord::min(self, other) }
            #[inline(always)]
            fn ab_max(self, other: Self) -> Self { Ord::max(self, other) }
            #[inline(always)]
            #[track_caller]
            fn ab_clamp(self, lo: Self, hi: Self) -> Self {
                if lo > hi { fail(message::$words) }
                Ord::clamp(self, lo, hi)
            }
        }
    )* };
}
ordered! {
    CLAMP_INT [] i8; CLAMP_INT [] i16; CLAMP_INT [] i32; CLAMP_INT [] i64; CLAMP_INT [] i128; CLAMP_INT [] isize;
    CLAMP_INT [] u8; CLAMP_INT [] u16; CLAMP_INT [] u32; CLAMP_INT [] u64; CLAMP_INT [] u128; CLAMP_INT [] usize;
    CLAMP_ORD [] bool; CLAMP_ORD [] (); CLAMP_ORD [T: Copy + Ord, const N: usize] [T; N];
}

macro_rules! tuples {
    ($first:ident $($T:ident)*; $($done:ident)*) => {
        ordered! { CLAMP_ORD [$($done: Copy + Ord,)* $first: Copy + Ord] ($($done,)* $first,); }
        tuples! { $($T)*; $($done)* $first }
    };
    (; $($done:ident)*) => {};
}
tuples! { A B C D E F G H I J K L; }

// std leaves open which of the zeros comes, and a compiler takes another one than a GPU does. Here
// -0 is the smaller one, as for a GPU. Other numbers that are equal have the same bits. Without
// branches, which would keep a compiler from making vectors.
macro_rules! float_extremes {
    ($($t:ident $bits:ident)*) => { $(
        impl Extremes for $t {
            #[inline(always)]
            fn ab_min(self, other: Self) -> Self {
                let either = (self.to_bits() | other.to_bits()) & (<$bits>::from(self != other)).wrapping_sub(1);
                Self::from_bits(self.min(other).to_bits() | either)
            }
            #[inline(always)]
            fn ab_max(self, other: Self) -> Self {
                let either = self.to_bits() & other.to_bits() | (<$bits>::from(self == other)).wrapping_sub(1);
                Self::from_bits(self.max(other).to_bits() & either)
            }
            #[inline(always)]
            #[track_caller]
            fn ab_clamp(self, lo: Self, hi: Self) -> Self {
                if lo > hi || lo.is_nan() || hi.is_nan() { fail(message::CLAMP_FLOAT) }
                self.clamp(lo, hi)
            }
        }
    )* };
}
float_extremes! { f32 u32 f64 u64 }

/// `a.min(b)`.
#[inline(always)]
pub fn min<T: Extremes>(a: T, b: T) -> T {
    a.ab_min(b)
}

/// `a.max(b)`.
#[inline(always)]
pub fn max<T: Extremes>(a: T, b: T) -> T {
    a.ab_max(b)
}

/// `a.clamp(lo, hi)`.
#[inline(always)]
#[track_caller]
pub fn clamp<T: Extremes>(a: T, lo: T, hi: T) -> T {
    a.ab_clamp(lo, hi)
}

/// `a.abs()`; the result for `MIN` is `MIN`.
#[inline(always)]
pub fn abs<T: SignedArithmetic>(a: T) -> T {
    T::ab_abs(a)
}

/// `a.rem_euclid(b)`.
#[inline(always)]
#[track_caller]
pub fn rem_euclid<T: Arithmetic>(a: T, b: T) -> T {
    T::ab_rem_euclid(a, b)
}

/// `a.div_euclid(b)`.
#[inline(always)]
#[track_caller]
pub fn div_euclid<T: Arithmetic>(a: T, b: T) -> T {
    T::ab_div_euclid(a, b)
}
