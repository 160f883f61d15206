//! What generated code uses of std. By this path, and not as `::core::…`: an `extern crate self as core` of the user's crate would
//! take that over.

pub use std::any::TypeId;
pub use std::convert::Infallible;
pub use std::marker::{PhantomData, Sized};
pub use std::ops::Fn;
pub use std::option::Option::{self, None, Some};
pub use std::primitive::{bool, usize};
pub use std::string::String;
pub use std::{file, module_path, unreachable};

/// `result.is_ok()`.
#[inline(always)]
pub fn is_ok<T, E>(result: &Result<T, E>) -> bool {
    result.is_ok()
}

/// `result.is_err()`.
#[inline(always)]
pub fn is_err<T, E>(result: &Result<T, E>) -> bool {
    result.is_err()
}
