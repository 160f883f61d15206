//! The methods of std as device code calls them: by a name of its own and with a slot, so that rustc finds them as it finds the methods of user
//! types. They only exist in generated code, which brings the traits into scope without a name.

use super::*;
use super::{Byte, Bytes};
use crate::cpu::views::{self, Length};
use crate::model::slots::{Builtin, Callee};
use crate::value::DeviceValue;
use crate::value::number::Float;

anabranch_macros::number_methods!();

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
