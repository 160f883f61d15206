//! The traits of number types, for generic code on the host and on the device.

use std::cmp::Ordering;
use std::hash::Hash;
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Mul, MulAssign,
    Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

use super::arithmetic::{Arithmetic, IntArithmetic, SignedArithmetic};

/// Declares methods in a trait.
macro_rules! declare {
    ($std:literal $(($($arg:ident: $A:ty),*) -> $R:ty: $($name:ident)*;)*) => { $(declare! { @one $std ($($arg: $A),*) $R: $($name)* })* };
    (@one $std:literal $args:tt $R:ty: $($name:ident)*) => { $(declare! { @method $std $args $R: $name })* };
    (@method $std:literal ($($arg:ident: $A:ty),*) $R:ty: $name:ident) => {
        #[doc = concat!("As [`", $std, "::", stringify!($name), "`].")]
        #[must_use]
        fn $name(self $(, $arg: $A)*) -> $R;
    };
}

/// Implements the methods with the type's own methods of the same names.
macro_rules! forward {
    ($std:literal $(($($arg:ident: $A:ty),*) -> $R:ty: $($name:ident)*;)*) => { $(forward! { @one ($($arg: $A),*) $R: $($name)* })* };
    (@one $args:tt $R:ty: $($name:ident)*) => { $(forward! { @method $args $R: $name })* };
    (@method ($($arg:ident: $A:ty),*) $R:ty: $name:ident) => {
        #[inline]
        #[track_caller]
        fn $name(self $(, $arg: $A)*) -> $R { Self::$name(self $(, $arg)*) }
    };
}

macro_rules! num_methods {
    ($then:ident) => {
        $then! { "f32" (rhs: Self) -> Self: div_euclid rem_euclid midpoint; }
    };
}

macro_rules! int_methods {
    ($then:ident) => { $then! { "i32"
        () -> Self: isqrt reverse_bits strict_neg swap_bytes to_be to_le wrapping_neg;
        () -> u32: count_ones count_zeros ilog10 ilog2 leading_ones leading_zeros trailing_ones trailing_zeros;
        () -> (Self, bool): overflowing_neg;
        (rhs: Self) -> Self: saturating_add saturating_div saturating_mul saturating_sub
            strict_add strict_div strict_div_euclid strict_mul strict_rem strict_rem_euclid strict_sub
            wrapping_add wrapping_div wrapping_div_euclid wrapping_mul wrapping_rem wrapping_rem_euclid wrapping_sub;
        (rhs: Self) -> (Self, bool): overflowing_add overflowing_div overflowing_div_euclid overflowing_mul
            overflowing_rem overflowing_rem_euclid overflowing_sub;
        (rhs: Self) -> Self::Unsigned: abs_diff;
        (base: Self) -> u32: ilog;
        (n: u32) -> Self: pow rotate_left rotate_right saturating_pow strict_pow strict_shl strict_shr
            unbounded_shl unbounded_shr wrapping_pow wrapping_shl wrapping_shr;
        (n: u32) -> (Self, bool): overflowing_pow overflowing_shl overflowing_shr;
    } };
}

macro_rules! float_methods {
    ($then:ident) => { $then! { "f32"
        () -> Self: abs acos acosh asin asinh atan atanh cbrt ceil cos cosh exp exp2 exp_m1 floor fract ln ln_1p log10 log2
            next_down next_up recip round round_ties_even signum sin sinh sqrt tan tanh to_degrees to_radians trunc;
        () -> (Self, Self): sin_cos;
        () -> bool: is_finite is_infinite is_nan is_normal is_sign_negative is_sign_positive is_subnormal;
        () -> Self::Bits: to_bits;
        (other: Self) -> Self: atan2 copysign hypot log max min powf;
        (n: i32) -> Self: powi;
        (a: Self, b: Self) -> Self: clamp mul_add;
    } };
}

/// Declares constants, or defines them with the type's own constants and those of std's `consts`.
macro_rules! float_constants {
    (declare) => { float_constants! { @list @declare } };
    ($t:ident) => { float_constants! { @list @define $t } };
    (@list @$how:ident $($t:ident)?) => { float_constants! { @$how $($t)?
        [EPSILON INFINITY MIN_POSITIVE NAN NEG_INFINITY]
        [E FRAC_1_PI FRAC_1_SQRT_2 FRAC_2_PI FRAC_2_SQRT_PI FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8
            LN_10 LN_2 LOG10_2 LOG10_E LOG2_10 LOG2_E PI SQRT_2 TAU]
    } };
    (@declare [$($own:ident)*] [$($of:ident)*]) => {
        $(#[doc = concat!("As [`f32::", stringify!($own), "`].")] const $own: Self;)*
        $(#[doc = concat!("As [`std::f32::consts::", stringify!($of), "`].")] const $of: Self;)*
    };
    (@define $t:ident [$($own:ident)*] [$($of:ident)*]) => {
        $(const $own: Self = $t::$own;)*
        $(const $of: Self = std::$t::consts::$of;)*
    };
}

/// A number: an integer or a float.
///
/// Generic kernels, `#[device]` functions and generic host code compute with `T: Num`,
/// [`T: Int`](Int) or [`T: Float`](Float). The trait is sealed.
///
/// In device code a `T: Num` also has `min`, `max` and `clamp`. On the host, integers have these
/// methods through [`Ord`] and floats through [`Float`], because a method of this trait would be
/// ambiguous with the method of `Ord`.
#[diagnostic::on_unimplemented(
    message = "device code cannot compute with `{Self}`",
    label = "`+ - * / %` take two numbers of the same type"
)]
pub trait Num:
    Arithmetic
    + PartialOrd
    + FromNumber<bool>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + RemAssign
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The smallest value; for floats, the smallest finite value.
    const MIN: Self;
    /// The greatest value; for floats, the greatest finite value.
    const MAX: Self;
    /// No value is smaller; for floats, the negative infinity.
    #[doc(hidden)]
    const LEAST: Self;
    /// No value is greater; for floats, the infinity.
    #[doc(hidden)]
    const GREATEST: Self;

    /// Converts like `self as U`: integers truncate and wrap, floats saturate.
    ///
    /// ```
    /// use anabranch::{Float, Num};
    ///
    /// fn share<T: Float>(part: u32, whole: u32) -> T {
    ///     part.cast::<T>() / whole.cast()
    /// }
    /// assert_eq!(share::<f64>(1, 4), 0.25);
    /// assert_eq!((-1.5f32).cast::<u8>(), 0);
    /// ```
    #[must_use]
    #[inline]
    fn cast<U: Num>(self) -> U {
        self.ab_as()
    }

    num_methods! { declare }
}

/// An integer.
///
/// This trait has the methods that all integer types of std have, except those that return an
/// `Option` or an array.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer",
    label = "expected an integer",
    note = "floats have methods of their own, such as `powi` and `powf` in place of `pow`"
)]
pub trait Int:
    Num
    + IntArithmetic
    + Eq
    + Ord
    + Hash
    + Not<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
    + ShlAssign<u32>
    + ShrAssign<u32>
{
    /// The unsigned type of the same width.
    type Unsigned: Int;
    /// The signed type of the same width.
    type Signed: Int;
    /// Width in bits.
    const BITS: u32;

    /// See [`i32::from_be`].
    #[must_use]
    fn from_be(x: Self) -> Self;
    /// See [`i32::from_le`].
    #[must_use]
    fn from_le(x: Self) -> Self;

    int_methods! { declare }
}

/// A float: `f32` or `f64`; with the feature `half` also `half::f16` or `half::bf16`.
///
/// `T::from(x)` converts `f32`, `i8`, `i16`, `u8` and `u16`, and rounds what `f16` and `bf16` have
/// no digits for.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a float", label = "expected `f32` or `f64`")]
pub trait Float:
    Num
    + SignedArithmetic
    + Neg<Output = Self>
    + FromNumber<f32>
    + FromNumber<i8>
    + FromNumber<i16>
    + FromNumber<u8>
    + FromNumber<u16>
{
    /// The unsigned integer type of the same width.
    type Bits: Int;

    float_constants! { declare }

    /// See [`f32::from_bits`].
    #[must_use]
    fn from_bits(bits: Self::Bits) -> Self;

    /// As [`f32::total_cmp`].
    #[must_use]
    fn total_cmp(&self, other: &Self) -> Ordering;

    float_methods! { declare }
}

/// `T::from(x)` of a type parameter, and of floats. It is not [`From`], which other crates do not
/// implement for the types of `half`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(message = "the trait bound `{Self}: From<{U}>` is not satisfied")]
pub trait FromNumber<U>: Sized {
    /// The number, or the nearest one.
    fn from(x: U) -> Self;
}

/// `half::f16` or `half::bf16`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither `f16` nor `bf16`",
    label = "expected a type of the crate `half`"
)]
pub trait Half: Float {
    /// The same number.
    fn ab_to_single(self) -> f32;
}

macro_rules! from_numbers {
    ($($t:ident: $($of:ident)*;)*) => { $($(
        #[diagnostic::do_not_recommend]
        impl FromNumber<$of> for $t {
            #[inline(always)]
            fn from(x: $of) -> Self { <$t as From<$of>>::from(x) }
        }
    )*)* };
}
from_numbers! {
    i8: bool; i16: bool; i32: bool; i64: bool; i128: bool; isize: bool;
    u8: bool; u16: bool; u32: bool; u64: bool; u128: bool; usize: bool;
    f32: bool f32 i8 i16 u8 u16; f64: bool f32 f64 i8 i16 i32 u8 u16 u32;
}

macro_rules! ints {
    ($($t:ident $unsigned:ident $signed:ident;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Num for $t {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const MIN: Self = $t::MIN;
            const MAX: Self = $t::MAX;
            const LEAST: Self = $t::MIN;
            const GREATEST: Self = $t::MAX;
            num_methods! { forward }
        }
        #[diagnostic::do_not_recommend]
        impl Int for $t {
            type Unsigned = $unsigned;
            type Signed = $signed;
            const BITS: u32 = $t::BITS;
            #[inline]
            fn from_be(x: Self) -> Self { $t::from_be(x) }
            #[inline]
            fn from_le(x: Self) -> Self { $t::from_le(x) }
            int_methods! { forward }
        }
    )* };
}
ints! {
    i8 u8 i8; i16 u16 i16; i32 u32 i32; i64 u64 i64; i128 u128 i128; isize usize isize;
    u8 u8 i8; u16 u16 i16; u32 u32 i32; u64 u64 i64; u128 u128 i128; usize usize isize;
}

macro_rules! floats {
    ($($t:ident $bits:ident;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Num for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const MIN: Self = $t::MIN;
            const MAX: Self = $t::MAX;
            const LEAST: Self = $t::NEG_INFINITY;
            const GREATEST: Self = $t::INFINITY;
            num_methods! { forward }
        }
        #[diagnostic::do_not_recommend]
        impl Float for $t {
            type Bits = $bits;
            float_constants! { $t }
            #[inline]
            fn from_bits(bits: $bits) -> Self { $t::from_bits(bits) }
            #[inline]
            fn total_cmp(&self, other: &Self) -> Ordering { $t::total_cmp(self, other) }
            float_methods! { forward }
        }
    )* };
}
floats! { f32 u32; f64 u64; }

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares `cast` with `as` between all pairs of types, on edge cases: `cast` converts through
    /// the widest types.
    #[test]
    fn cast_is_as() {
        macro_rules! all {
            ($($from:ident)*) => { $(all! { @from $from: i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 })* };
            (@from $from:ident: $($to:ident)*) => {
                let edges = [$from::MIN, $from::MAX, $from::ZERO, $from::ONE, $from::MAX / (3 as $from), $from::MIN / (7 as $from), (100.7 as $from), (-1.0 as $from)];
                for x in edges {
                    $(assert_eq!(Num::cast::<$to>(x).to_ne_bytes(), (x as $to).to_ne_bytes(), "{x} as {}", stringify!($to));)*
                }
            };
        }
        all! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 }
        assert_eq!(f64::INFINITY.cast::<i128>(), i128::MAX);
        assert_eq!(f32::NAN.cast::<u16>(), 0);
        // between two floats of 24 bits: rounded once, not twice
        assert_eq!(0x0100_0001_8000_0001_u64.cast::<f32>(), 0x0100_0001_8000_0001_u64 as f32);
    }

    /// Generic code as users write it.
    #[test]
    fn the_classes_have_operators_methods_and_constants() {
        fn hash<T: Int>(mut x: T) -> T {
            x ^= x >> 3;
            x = x.wrapping_mul(T::MAX).rotate_left(T::BITS / 2) | !x & T::ONE;
            x.max(T::ZERO).min(T::from(true)).strict_add(T::ONE)
        }
        assert_eq!(hash(9u8), 2);
        assert_eq!(hash(-9i64), 1);
        fn area<T: Float>(r: T) -> T {
            let mut sum = T::from(0.0) + T::PI * r.powi(2).max(-T::ONE);
            sum += T::from(1u8).sin_cos().0.mul_add(T::ZERO, T::NEG_INFINITY).clamp(T::ZERO, T::ONE);
            T::from_bits(sum.to_bits())
        }
        assert_eq!(area(2.0f32), 4.0 * std::f32::consts::PI);
        assert_eq!(area(2.0f64), 4.0 * std::f64::consts::PI);
        fn mean<T: Num>(values: &[T]) -> T {
            let mut sum = T::ZERO;
            for &x in values {
                sum += x;
            }
            (sum / values.len().cast()).rem_euclid(T::MAX)
        }
        assert_eq!(mean(&[1.0f32, 2.0]), 1.5);
        assert_eq!(mean(&[-1i8, -2]), 126);
    }

    /// Where the traits are in scope, the inherent methods of integers still take precedence.
    #[test]
    #[allow(clippy::manual_clamp, clippy::unnecessary_min_or_max)]
    fn methods_of_concrete_types_are_not_ambiguous() {
        assert_eq!(5i32.min(3).max(1).clamp(2, 9).pow(2).rem_euclid(4).abs_diff(0), 1);
        assert_eq!(2.5f32.min(3.0).sqrt().floor().clamp(0.0, 9.0), 1.0);
    }
}
