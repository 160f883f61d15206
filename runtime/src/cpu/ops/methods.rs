//! The methods of std as device code calls them: by a name of its own and with a slot, so that rustc finds them as it finds the methods of user
//! types. They only exist in generated code, which brings the traits into scope without a name.

use super::*;
use super::{Byte, Bytes};
use crate::cpu::views::{self, Length};
use crate::model::slots::{Builtin, Callee};
use crate::value::DeviceValue;
use crate::value::number::{Float, Half, Int, Num};

anabranch_macros::number_methods!();

/// What a `checked_…` method returns, from what `overflowing_…` returns.
fn checked<T>((value, overflows): (T, bool)) -> Option<T> {
    (!overflows).then_some(value)
}

/// The methods of `Option`, as device code calls them.
pub trait OptionMethods<T> {
    /// `x.is_some()`.
    fn is_some_on_device(&self, _: Callee<Builtin<bool>>) -> bool;
    /// `x.is_none()`.
    fn is_none_on_device(&self, _: Callee<Builtin<bool>>) -> bool;
    /// `x.unwrap_or(otherwise)`.
    fn unwrap_or_on_device(self, otherwise: T, _: Callee<Builtin<T>>) -> T;
}
impl<T: DeviceValue> OptionMethods<T> for Option<T> {
    #[inline(always)]
    fn is_some_on_device(&self, _: Callee<Builtin<bool>>) -> bool {
        self.is_some()
    }
    #[inline(always)]
    fn is_none_on_device(&self, _: Callee<Builtin<bool>>) -> bool {
        self.is_none()
    }
    #[inline(always)]
    fn unwrap_or_on_device(self, otherwise: T, _: Callee<Builtin<T>>) -> T {
        self.unwrap_or(otherwise)
    }
}

/// The methods of `Result`, as device code calls them.
pub trait ResultMethods<T> {
    /// `x.is_ok()`.
    fn is_ok_on_device(&self, _: Callee<Builtin<bool>>) -> bool;
    /// `x.is_err()`.
    fn is_err_on_device(&self, _: Callee<Builtin<bool>>) -> bool;
    /// `x.unwrap_or(otherwise)`.
    fn unwrap_or_on_device(self, otherwise: T, _: Callee<Builtin<T>>) -> T;
}
impl<T: DeviceValue, E: DeviceValue> ResultMethods<T> for Result<T, E> {
    #[inline(always)]
    fn is_ok_on_device(&self, _: Callee<Builtin<bool>>) -> bool {
        self.is_ok()
    }
    #[inline(always)]
    fn is_err_on_device(&self, _: Callee<Builtin<bool>>) -> bool {
        self.is_err()
    }
    #[inline(always)]
    fn unwrap_or_on_device(self, otherwise: T, _: Callee<Builtin<T>>) -> T {
        self.unwrap_or(otherwise)
    }
}

/// What only `f16` and `bf16` have, as device code calls it.
pub trait HalfMethods: Scalar {
    /// `x.to_f32()`.
    #[inline(always)]
    fn to_f32_on_device(self, _: Callee<Builtin<Self>>) -> f32
    where
        Self: Half,
    {
        self.ab_to_single()
    }
    /// `x.to_f64()`.
    #[inline(always)]
    fn to_f64_on_device(self, _: Callee<Builtin<Self>>) -> f64
    where
        Self: Half,
    {
        self.ab_to_single().into()
    }
    /// `f16::from_f32(x)`.
    #[inline(always)]
    fn from_f32_on_device(x: f32, _: Callee<Builtin<Self>>) -> Self
    where
        Self: Half,
    {
        x.cast()
    }
    /// `f16::from_f64(x)`.
    #[inline(always)]
    fn from_f64_on_device(x: f64, _: Callee<Builtin<Self>>) -> Self
    where
        Self: Half,
    {
        x.cast()
    }
    /// `f16::from_bits(x)`.
    #[inline(always)]
    fn from_bits_on_device(x: u16, _: Callee<Builtin<Self>>) -> Self
    where
        Self: Half<Bits = u16>,
    {
        Self::from_bits(x)
    }
    /// `f16::from(x)`.
    #[inline(always)]
    fn from_on_device<U: Scalar>(x: U, _: Callee<Builtin<Self>>) -> Self
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
    fn len_on_device(&self, _: Callee<Builtin<usize>>) -> usize {
        self.length()
    }
    /// `x.is_empty()`.
    #[inline(always)]
    fn is_empty_on_device(&self, _: Callee<Builtin<usize>>) -> bool {
        views::is_empty(self)
    }
}
impl<T> SliceMethods for [T] {}
