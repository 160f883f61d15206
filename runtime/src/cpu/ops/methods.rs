//! The methods of std as device code calls them: by a name of its own and with a slot, so that
//! rustc finds them as it finds the methods of user types. They only exist in generated code, which
//! brings the traits into scope without a name. Those of `Option` and `Result` are in `outcomes`.

use super::*;
use super::{Byte, Bytes};
use crate::cpu::views::{self, Length};
use crate::model::slots::{Builtin, Callee};
use crate::value::DeviceValue;
use crate::value::number::{Float, Half, Int, Num};
use crate::value::scalar::Scalar;

anabranch_macros::number_methods!();

/// What a `checked_…` method returns, from what `overflowing_…` returns.
fn checked<T>((value, overflows): (T, bool)) -> Option<T> {
    (!overflows).then_some(value)
}

/// The `checked_…` methods of integers that have no `overflowing_…` twin, or one that fails.
pub trait CheckedMethods: Scalar {
    #![allow(missing_docs)] // the methods of std
    #[inline(always)]
    fn checked_div_in_device_code(self, b: Self, _: Callee<Builtin<Option<Self>>>) -> Option<Self>
    where
        Self: Int,
    {
        if b == Self::ZERO { None } else { checked(Int::overflowing_div(self, b)) }
    }
    #[inline(always)]
    fn checked_rem_in_device_code(self, b: Self, _: Callee<Builtin<Option<Self>>>) -> Option<Self>
    where
        Self: Int,
    {
        if b == Self::ZERO { None } else { checked(Int::overflowing_rem(self, b)) }
    }
    #[inline(always)]
    fn checked_div_euclid_in_device_code(self, b: Self, _: Callee<Builtin<Option<Self>>>) -> Option<Self>
    where
        Self: Int,
    {
        if b == Self::ZERO { None } else { checked(Int::overflowing_div_euclid(self, b)) }
    }
    #[inline(always)]
    fn checked_rem_euclid_in_device_code(self, b: Self, _: Callee<Builtin<Option<Self>>>) -> Option<Self>
    where
        Self: Int,
    {
        if b == Self::ZERO { None } else { checked(Int::overflowing_rem_euclid(self, b)) }
    }
    #[inline(always)]
    fn checked_ilog_in_device_code(self, base: Self, _: Callee<Builtin<Option<u32>>>) -> Option<u32>
    where
        Self: Int,
    {
        (self > Self::ZERO && base > Self::ONE).then(|| Int::ilog(self, base))
    }
    #[inline(always)]
    fn checked_ilog2_in_device_code(self, _: Callee<Builtin<Option<u32>>>) -> Option<u32>
    where
        Self: Int,
    {
        (self > Self::ZERO).then(|| Int::ilog2(self))
    }
    #[inline(always)]
    fn checked_ilog10_in_device_code(self, _: Callee<Builtin<Option<u32>>>) -> Option<u32>
    where
        Self: Int,
    {
        (self > Self::ZERO).then(|| Int::ilog10(self))
    }
    #[inline(always)]
    fn checked_isqrt_in_device_code(self, _: Callee<Builtin<Option<Self>>>) -> Option<Self>
    where
        Self: SignedMethods + Int,
    {
        (self >= Self::ZERO).then(|| Int::isqrt(self))
    }
    #[inline(always)]
    fn checked_next_multiple_of_in_device_code(self, b: Self, _: Callee<Builtin<Option<Self>>>) -> Option<Self>
    where
        Self: UnsignedMethods + Int,
    {
        if b == Self::ZERO {
            return None;
        }
        let rest = Int::wrapping_rem(self, b);
        if rest == Self::ZERO { Some(self) } else { checked(Int::overflowing_add(self, b - rest)) }
    }
    #[inline(always)]
    fn checked_next_power_of_two_in_device_code(self, _: Callee<Builtin<Option<Self>>>) -> Option<Self>
    where
        Self: UnsignedMethods + Int,
    {
        Some(next_power_of_two(self)).filter(|power| *power != Self::ZERO)
    }
    #[inline(always)]
    fn checked_signed_diff_in_device_code(
        self,
        b: Self,
        _: Callee<Builtin<Option<<Self as UnsignedMethods>::Twin>>>,
    ) -> Option<<Self as UnsignedMethods>::Twin>
    where
        Self: UnsignedMethods + Int,
    {
        let difference = Int::wrapping_sub(self, b);
        // The first bit is the sign.
        ((self < b) == (Int::leading_zeros(difference) == 0)).then(|| cast_signed(difference))
    }
}
impl<T: Scalar> CheckedMethods for T {}

/// What only `f16` and `bf16` have, as device code calls it.
pub trait HalfMethods: Scalar {
    /// `x.to_f32()`.
    #[inline(always)]
    fn to_f32_in_device_code(self, _: Callee<Builtin<Self>>) -> f32
    where
        Self: Half,
    {
        self.ab_to_single()
    }
    /// `x.to_f64()`.
    #[inline(always)]
    fn to_f64_in_device_code(self, _: Callee<Builtin<Self>>) -> f64
    where
        Self: Half,
    {
        self.ab_to_single().into()
    }
    /// `f16::from_f32(x)`.
    #[inline(always)]
    fn from_f32_in_device_code(x: f32, _: Callee<Builtin<Self>>) -> Self
    where
        Self: Half,
    {
        x.cast()
    }
    /// `f16::from_f64(x)`.
    #[inline(always)]
    fn from_f64_in_device_code(x: f64, _: Callee<Builtin<Self>>) -> Self
    where
        Self: Half,
    {
        x.cast()
    }
    /// `f16::from_bits(x)`.
    #[inline(always)]
    fn from_bits_in_device_code(x: u16, _: Callee<Builtin<Self>>) -> Self
    where
        Self: Half<Bits = u16>,
    {
        Self::from_bits(x)
    }
    /// `f16::from(x)`.
    #[inline(always)]
    fn from_in_device_code<U: Scalar>(x: U, _: Callee<Builtin<Self>>) -> Self
    where
        Self: Half + From<U>,
    {
        <Self as From<U>>::from(x)
    }
}
impl<T: Scalar> HalfMethods for T {}

/// The methods of slices and arrays, as device code calls them.
pub trait SliceMethods: Length {
    /// `x.len()`.
    #[inline(always)]
    fn len_in_device_code(&self, _: Callee<Builtin<usize>>) -> usize {
        self.length()
    }
    /// `x.is_empty()`.
    #[inline(always)]
    fn is_empty_in_device_code(&self, _: Callee<Builtin<usize>>) -> bool {
        views::is_empty(self)
    }
}
impl<T> SliceMethods for [T] {}
