//! The operators and methods of numbers as generated code calls them: functions, by path.

mod methods;
mod native;

pub use crate::value::arithmetic::*;
pub use methods::{NumberMethods, OrderedMethods, SliceMethods};
pub use native::*;

use std::marker::PhantomData;

use crate::value::number::{Int, Num};
use crate::value::scalar::Scalar;

macro_rules! operators {
    ($($name:ident $method:ident)*) => { $(
        #[doc = concat!("The operator `", stringify!($name), "` of device code; the slot holds its type.")]
        #[inline(always)]
        #[track_caller]
        pub fn $name<T: Num>(_: PhantomData<T>, a: T, b: T) -> T { T::$method(a, b) }
    )* };
}
operators! { add ab_add sub ab_sub mul ab_mul div ab_div rem ab_rem }

/// An operand of a comparison, which Rust and C++ compute alike for these types.
#[inline(always)]
pub fn compared<T: Compared>(operand: T) -> T {
    operand
}

/// An operand of `&`, `|`, `^` or `!`.
#[inline(always)]
pub fn number<T: Scalar>(operand: T) -> T {
    operand
}

/// A type that device code compares.
#[diagnostic::on_unimplemented(
    message = "device code cannot compare values of type `{Self}`",
    label = "device code compares `bool`, numbers, and tuples and arrays of them",
    note = "compare the fields: `a.x == b.x`"
)]
pub trait Compared {}
#[diagnostic::do_not_recommend]
impl<T: Scalar> Compared for T {}
#[diagnostic::do_not_recommend]
impl<T: Compared, const N: usize> Compared for [T; N] {}
macro_rules! tuples {
    ($($($T:ident)*;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($T: Compared),*> Compared for ($($T,)*) {}
    )* };
}
tuples! {
    ; A; A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H; A B C D E F G H I;
    A B C D E F G H I J; A B C D E F G H I J K; A B C D E F G H I J K L;
}

/// `-a`.
#[inline(always)]
pub fn neg<T: SignedArithmetic>(_: PhantomData<T>, a: T) -> T {
    T::ab_neg(a)
}

/// `a << b`: the count is masked, whatever its type.
#[inline(always)]
pub fn shl<T: Int, S: Int>(_: PhantomData<T>, a: T, b: S) -> T {
    T::ab_shl(a, b.ab_low_bits())
}

/// `a >> b`: the count is masked, whatever its type.
#[inline(always)]
pub fn shr<T: Int, S: Int>(_: PhantomData<T>, a: T, b: S) -> T {
    T::ab_shr(a, b.ab_low_bits())
}

/// `a.cast::<U>()`: `as` between types that generic code does not know.
#[inline(always)]
pub fn cast<T: Num, U: Num>(_: PhantomData<U>, a: T) -> U {
    a.ab_as()
}

#[cfg(test)]
mod tests;
