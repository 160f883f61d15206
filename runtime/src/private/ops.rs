//! Arithmetic of device code on the CPU: release-mode Rust in every build, and failures with a location but without the
//! panic hook.

use std::marker::PhantomData;

use crate::cpu::panic::fail;
use crate::scalar::Scalar;

/// A type with arithmetic.
#[diagnostic::on_unimplemented(
    message = "device code cannot compute with `{Self}`",
    label = "`+ - * / %` take two numbers of the same type"
)]
pub trait Num: Scalar {
    #![allow(missing_docs)] // the operators of Rust, wrapping and checked as above
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn rem(self, other: Self) -> Self;
    fn div_euclid(self, other: Self) -> Self;
    fn rem_euclid(self, other: Self) -> Self;
    fn clamp(self, lo: Self, hi: Self) -> Self;
}

/// A number with a sign.
#[diagnostic::on_unimplemented(message = "cannot apply `-` or `abs` to `{Self}`", label = "`{Self}` has no sign")]
pub trait Signed: Num {
    #![allow(missing_docs)]
    fn neg(self) -> Self;
    fn abs(self) -> Self;
}

/// An integer.
#[diagnostic::on_unimplemented(message = "`{Self}` is not an integer", label = "expected an integer")]
pub trait Int: Num {
    #![allow(missing_docs)]
    fn shl(self, count: u32) -> Self;
    fn shr(self, count: u32) -> Self;
    fn low_bits(self) -> u32;
    fn pow(self, exponent: u32) -> Self;
    fn div_ceil(self, other: Self) -> Self;
    fn wrapping_quotient(self, other: Self) -> Self;
    fn wrapping_remainder(self, other: Self) -> Self;
}

const ZERO_DIVISOR: &str = "attempt to divide by zero";
const ZERO_REMAINDER: &str = "attempt to calculate the remainder with a divisor of zero";
const OVERFLOWING_DIVISOR: &str = "attempt to divide with overflow";
const OVERFLOWING_REMAINDER: &str = "attempt to calculate the remainder with overflow";

macro_rules! int {
    ($($t:ident)*) => { $(
        impl Num for $t {
            #[inline(always)]
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline(always)]
            #[track_caller]
            fn div(self, other: Self) -> Self {
                match self.checked_div(other) {
                    Some(quotient) => quotient,
                    None => fail(if other == 0 { ZERO_DIVISOR } else { OVERFLOWING_DIVISOR }),
                }
            }
            #[inline(always)]
            #[track_caller]
            fn rem(self, other: Self) -> Self {
                match self.checked_rem(other) {
                    Some(remainder) => remainder,
                    None => fail(if other == 0 { ZERO_REMAINDER } else { OVERFLOWING_REMAINDER }),
                }
            }
            #[inline(always)]
            #[track_caller]
            fn div_euclid(self, other: Self) -> Self {
                match self.checked_div_euclid(other) {
                    Some(quotient) => quotient,
                    None => fail(if other == 0 { ZERO_DIVISOR } else { OVERFLOWING_DIVISOR }),
                }
            }
            #[inline(always)]
            #[track_caller]
            fn rem_euclid(self, other: Self) -> Self {
                match self.checked_rem_euclid(other) {
                    Some(remainder) => remainder,
                    None => fail(if other == 0 { ZERO_REMAINDER } else { OVERFLOWING_REMAINDER }),
                }
            }
            #[inline(always)]
            #[track_caller]
            fn clamp(self, lo: Self, hi: Self) -> Self {
                if lo > hi { fail(BAD_CLAMP_INT) }
                Ord::clamp(self, lo, hi)
            }
        }
        impl Int for $t {
            #[inline(always)]
            fn shl(self, count: u32) -> Self { self.wrapping_shl(count) }
            #[inline(always)]
            fn shr(self, count: u32) -> Self { self.wrapping_shr(count) }
            #[inline(always)]
            #[allow(clippy::cast_lossless)] // truncates the wide types: shifts mask
            fn low_bits(self) -> u32 { self as u32 }
            #[inline(always)]
            fn pow(self, exponent: u32) -> Self { self.wrapping_pow(exponent) }
            #[inline(always)]
            #[track_caller]
            fn div_ceil(self, other: Self) -> Self {
                let quotient = Num::div(self, other);
                let remainder = self.wrapping_rem(other);
                #[allow(unused_comparisons)]
                let up = remainder != 0 && (remainder > 0) == (other > 0);
                if up { quotient + 1 } else { quotient }
            }
            #[inline(always)]
            fn wrapping_quotient(self, other: Self) -> Self { self.wrapping_div(other) }
            #[inline(always)]
            fn wrapping_remainder(self, other: Self) -> Self { self.wrapping_rem(other) }
        }
    )* };
}
int! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

/// In words of std; the operands that std adds are left out, since a device has no room to report them.
const BAD_CLAMP_INT: &str = "min > max";

macro_rules! signed_int {
    ($($t:ident)*) => { $(
        impl Signed for $t {
            #[inline(always)]
            fn neg(self) -> Self { self.wrapping_neg() }
            #[inline(always)]
            fn abs(self) -> Self { self.wrapping_abs() }
        }
    )* };
}
signed_int! { i8 i16 i32 i64 i128 isize }

macro_rules! float {
    ($($t:ident)*) => { $(
        impl Num for $t {
            #[inline(always)]
            fn add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self - other }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self * other }
            #[inline(always)]
            fn div(self, other: Self) -> Self { self / other }
            #[inline(always)]
            fn rem(self, other: Self) -> Self { self % other }
            #[inline(always)]
            fn div_euclid(self, other: Self) -> Self { $t::div_euclid(self, other) }
            #[inline(always)]
            fn rem_euclid(self, other: Self) -> Self { $t::rem_euclid(self, other) }
            #[inline(always)]
            #[track_caller]
            fn clamp(self, lo: Self, hi: Self) -> Self {
                if lo > hi || lo.is_nan() || hi.is_nan() { fail("min > max, or either was NaN") }
                $t::clamp(self, lo, hi)
            }
        }
        impl Signed for $t {
            #[inline(always)]
            fn neg(self) -> Self { -self }
            #[inline(always)]
            fn abs(self) -> Self { $t::abs(self) }
        }
    )* };
}
float! { f32 f64 }

macro_rules! operators {
    ($($name:ident)*) => { $(
        #[doc = concat!("The operator `", stringify!($name), "` of device code; the slot holds its type.")]
        #[inline(always)]
        #[track_caller]
        pub fn $name<T: Num>(_: PhantomData<T>, a: T, b: T) -> T { T::$name(a, b) }
    )* };
}
operators! { add sub mul div rem }

/// `-a`.
#[inline(always)]
pub fn neg<T: Signed>(_: PhantomData<T>, a: T) -> T {
    T::neg(a)
}

/// `a << b`: the count is masked, whatever its type.
#[inline(always)]
pub fn shl<T: Int, S: Int>(_: PhantomData<T>, a: T, b: S) -> T {
    T::shl(a, b.low_bits())
}

/// `a >> b`: the count is masked, whatever its type.
#[inline(always)]
pub fn shr<T: Int, S: Int>(_: PhantomData<T>, a: T, b: S) -> T {
    T::shr(a, b.low_bits())
}

/// `a.abs()`: of `MIN` it is `MIN`.
#[inline(always)]
pub fn abs<T: Signed>(a: T) -> T {
    T::abs(a)
}

/// `a.pow(n)`, wrapping.
#[inline(always)]
pub fn pow<T: Int>(a: T, exponent: u32) -> T {
    T::pow(a, exponent)
}

/// `a.clamp(lo, hi)`.
#[inline(always)]
#[track_caller]
pub fn clamp<T: Num>(a: T, lo: T, hi: T) -> T {
    T::clamp(a, lo, hi)
}

/// `a.rem_euclid(b)`.
#[inline(always)]
#[track_caller]
pub fn rem_euclid<T: Num>(a: T, b: T) -> T {
    T::rem_euclid(a, b)
}

/// `a.div_euclid(b)`.
#[inline(always)]
#[track_caller]
pub fn div_euclid<T: Num>(a: T, b: T) -> T {
    T::div_euclid(a, b)
}

/// `a.div_ceil(b)`.
#[inline(always)]
#[track_caller]
pub fn div_ceil<T: Int>(a: T, b: T) -> T {
    T::div_ceil(a, b)
}

/// `a.wrapping_div(b)`: of `MIN / -1` it is `MIN`.
#[inline(always)]
#[track_caller]
pub fn wrapping_div<T: Int>(a: T, b: T) -> T {
    if b == T::default() {
        fail(ZERO_DIVISOR)
    }
    T::wrapping_quotient(a, b)
}

/// `a.wrapping_rem(b)`: of `MIN % -1` it is 0.
#[inline(always)]
#[track_caller]
pub fn wrapping_rem<T: Int>(a: T, b: T) -> T {
    if b == T::default() {
        fail(ZERO_REMAINDER)
    }
    T::wrapping_remainder(a, b)
}
