//! The methods of numbers that neither panic nor overflow, as functions. Generated code calls them
//! by path, so that a trait of the user's crate cannot replace a method of std.

#[cfg(feature = "half")]
use half::{bf16, f16};

use std::cmp::Ordering;

use crate::model::slots::TypeOf;
use crate::value::arithmetic::{Arithmetic, SignedArithmetic};
use crate::value::number::{Float, FromNumber, Int, Num};
use crate::value::scalar::Scalar;

/// Functions for the methods of a trait.
macro_rules! functions {
    ($trait:ident: $(($($arg:ident: $A:ty),*) -> $R:ty: $($name:ident)*;)*) => { $(functions! { @one $trait ($($arg: $A),*) $R: $($name)* })* };
    (@one $trait:ident $args:tt $R:ty: $($name:ident)*) => { $(functions! { @function $trait $args $R: $name })* };
    (@function $trait:ident ($($arg:ident: $A:ty),*) $R:ty: $name:ident) => {
        #[doc = concat!("`x.", stringify!($name), "(…)` of device code.")]
        #[inline(always)]
        pub fn $name<T: $trait>(x: T $(, $arg: $A)*) -> $R { <T as $trait>::$name(x $(, $arg)*) }
    };
}
functions! { Num: (rhs: T) -> T: midpoint; }
functions! { Int:
    () -> T: reverse_bits swap_bytes to_be to_le wrapping_neg;
    () -> u32: count_ones count_zeros leading_ones leading_zeros trailing_ones trailing_zeros;
    () -> (T, bool): overflowing_neg;
    (rhs: T) -> T: saturating_add saturating_mul saturating_sub wrapping_add wrapping_mul wrapping_sub;
    (rhs: T) -> (T, bool): overflowing_add overflowing_mul overflowing_sub;
    (rhs: T) -> T::Unsigned: abs_diff;
    (n: u32) -> T: rotate_left rotate_right saturating_pow unbounded_shl unbounded_shr wrapping_pow wrapping_shl wrapping_shr;
    (n: u32) -> (T, bool): overflowing_pow overflowing_shl overflowing_shr;
}
functions! { Float:
    () -> T: acos acosh asin asinh atan atanh cbrt ceil cos cosh exp exp2 exp_m1 floor fract ln ln_1p log10 log2
        next_down next_up recip round round_ties_even sin sinh sqrt tan tanh to_degrees to_radians trunc;
    () -> (T, T): sin_cos;
    () -> bool: is_finite is_infinite is_nan is_normal is_sign_negative is_sign_positive is_subnormal;
    () -> T::Bits: to_bits;
    (other: T) -> T: atan2 copysign hypot log powf;
    (n: i32) -> T: powi;
    (a: T, b: T) -> T: mul_add;
}

/// Exists only for its error message.
#[diagnostic::on_unimplemented(message = "`{Self}` is not `u8`", label = "expected a `u8`")]
pub trait Byte: Into<u8> + From<u8> {}
impl Byte for u8 {}

/// Methods of `u8`.
macro_rules! ascii {
    ($($R:ty: $($name:ident)*;)*) => { $($(
        #[doc = concat!("`x.", stringify!($name), "()` of device code.")]
        #[inline(always)]
        pub fn $name<T: Byte>(x: T) -> $R { <$R>::from(u8::$name(&x.into())) }
    )*)* };
}
ascii! {
    bool: is_ascii is_ascii_alphabetic is_ascii_alphanumeric is_ascii_control is_ascii_digit is_ascii_graphic is_ascii_hexdigit
        is_ascii_lowercase is_ascii_punctuation is_ascii_uppercase is_ascii_whitespace;
    T: to_ascii_lowercase to_ascii_uppercase;
}

/// `x.signum()`.
#[inline(always)]
pub fn signum<T: SignedArithmetic>(x: T) -> T {
    T::ab_signum(x)
}

/// `T::from(x)`. A type parameter has what its bound promises, and any number what std promises.
#[derive(Debug)]
pub struct Conversion<T, U>(pub TypeOf<T>, pub U);

impl<T: FromNumber<U>, U: Scalar> Conversion<T, U> {
    /// The number.
    #[inline(always)]
    pub fn from_in_device_code(self) -> T {
        <T as FromNumber<U>>::from(self.1)
    }
}

impl<T> Conversion<Option<T>, ()> {
    /// What a search has found before it begins.
    #[inline(always)]
    pub fn nothing_in_device_code(self) -> Option<T> {
        None
    }
}

impl<T> Conversion<Option<T>, (T,)> {
    /// What a search has found.
    #[inline(always)]
    pub fn just_in_device_code(self) -> Option<T> {
        Some(self.1.0)
    }
}

impl<T> Conversion<bool, Option<T>> {
    /// Whether a condition with `let` has held, whose value this is.
    #[inline(always)]
    pub fn is_just_in_device_code(self) -> bool {
        self.1.is_some()
    }
}

impl<T> Conversion<T, Option<T>> {
    /// The value of a condition that has held.
    #[inline(always)]
    #[track_caller]
    pub fn given_in_device_code(self) -> T {
        self.1.expect("the condition has held")
    }
}

impl<T> Conversion<Option<T>, (bool, T)> {
    /// What a search has found, if it has found something.
    #[inline(always)]
    pub fn found_in_device_code(self) -> Option<T> {
        let (found, value) = self.1;
        found.then_some(value)
    }

    /// The least or greatest item of an iterator, if it had one. As in std, floats are not ordered.
    #[inline(always)]
    pub fn best_in_device_code(self) -> Option<T>
    where
        T: Int,
    {
        self.found_in_device_code()
    }
}

/// What the closure of `min_by` and `max_by` says: an [`Ordering`], and nothing of a user's with
/// methods of the same names.
#[diagnostic::on_unimplemented(
    message = "the closure of `min_by` and `max_by` returns an `Ordering`, not `{Self}`",
    label = "expected `Ordering`"
)]
pub trait Verdict {
    /// Whether the first one is the greater one.
    fn exceeds(self) -> bool;
}

impl Verdict for Ordering {
    #[inline(always)]
    fn exceeds(self) -> bool {
        self.is_gt()
    }
}

impl<O> Conversion<bool, O> {
    /// Whether the first of two items is the greater one.
    #[inline(always)]
    pub fn exceeds_in_device_code(self) -> bool
    where
        O: Verdict,
    {
        self.1.exceeds()
    }
}

/// `T::from(x)` by [`From`], and its error.
#[allow(clippy::wrong_self_convention, reason = "the name is that of `From::from`")]
pub trait StdConversion<T, U> {
    /// The number.
    fn from_in_device_code(self) -> T
    where
        T: From<U>;
}

impl<T: Scalar, U: Scalar> StdConversion<T, U> for Conversion<T, U> {
    #[inline(always)]
    fn from_in_device_code(self) -> T
    where
        T: From<U>,
    {
        T::from(self.1)
    }
}

/// A number and its bytes.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a number", label = "expected a number")]
pub trait Bytes: Arithmetic {
    #![allow(missing_docs)] // the methods of std
    type Bytes;
    fn to_be_bytes(x: Self) -> Self::Bytes;
    fn to_le_bytes(x: Self) -> Self::Bytes;
    fn to_ne_bytes(x: Self) -> Self::Bytes;
    fn from_be_bytes(bytes: Self::Bytes) -> Self;
    fn from_le_bytes(bytes: Self::Bytes) -> Self;
    fn from_ne_bytes(bytes: Self::Bytes) -> Self;
}
macro_rules! bytes {
    (@impl $t:ident $($to:ident $from:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl Bytes for $t {
            type Bytes = [u8; size_of::<$t>()];
            $(
                #[inline(always)]
                fn $to(x: Self) -> Self::Bytes { $t::$to(x) }
                #[inline(always)]
                fn $from(bytes: Self::Bytes) -> Self { $t::$from(bytes) }
            )*
        }
    };
    ($($t:ident)*) => { $(
        bytes! { @impl $t to_be_bytes from_be_bytes to_le_bytes from_le_bytes to_ne_bytes from_ne_bytes }
    )* };
}
bytes! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 }
#[cfg(feature = "half")]
bytes! { f16 bf16 }
functions! { Bytes: () -> T::Bytes: to_be_bytes to_le_bytes to_ne_bytes; }

/// Functions for the constructors of a type: `T::from_bits(x)`.
macro_rules! makers {
    ($($trait:ident $of:ty: $($name:ident)*;)*) => { $($(
        #[doc = concat!("`T::", stringify!($name), "(x)` of device code.")]
        #[inline(always)]
        pub fn $name<T: $trait>(_: TypeOf<T>, x: $of) -> T { <T as $trait>::$name(x) }
    )*)* };
}
makers! { Int T: from_be from_le; Float T::Bits: from_bits; Bytes T::Bytes: from_be_bytes from_le_bytes from_ne_bytes; }
