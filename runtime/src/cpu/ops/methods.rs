//! The methods of std as device code calls them: by a name of its own and with a slot, so that rustc finds them as it finds the methods of user
//! types. They only exist in generated code, which brings the traits into scope without a name.

use super::*;
use super::{Byte, Bytes};
use crate::cpu::views::{self, Length};
use crate::model::slots::{Builtin, Callee};
use crate::value::DeviceValue;
use crate::value::number::{Float, Int};
use crate::value::scalar::Scalar;

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
