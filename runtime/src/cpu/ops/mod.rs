//! The operators and methods of numbers as generated code calls them: functions, by path.

mod methods;
mod native;
mod operators;
mod question;

pub use crate::value::arithmetic::*;
pub use methods::{NumberMethods, OptionMethods, OrderedMethods, ResultMethods, SliceMethods};
pub use native::*;
pub use operators::*;
pub use question::{FromRest, Question, ask, from_rest};

use std::marker::PhantomData;

use crate::value::number::{Int, Num};
use crate::value::scalar::Scalar;

/// An operand of a comparison, which Rust and C++ compute alike for these types.
#[inline(always)]
pub fn compared<T: Compared>(operand: T) -> T {
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

/// `a.cast::<U>()`: `as` between types that generic code does not know.
#[inline(always)]
pub fn cast<T: Num, U: Num>(_: PhantomData<U>, a: T) -> U {
    a.ab_as()
}

/// What a search has found, if it has found something.
#[inline(always)]
pub fn found<T>(_: PhantomData<Option<T>>, (found, value): (bool, T)) -> Option<T> {
    found.then_some(value)
}

/// The least or greatest item of an iterator, if it had one. As in std, floats are not ordered.
#[inline(always)]
pub fn best<T: Int>(slot: PhantomData<Option<T>>, value: (bool, T)) -> Option<T> {
    found(slot, value)
}

#[cfg(test)]
mod tests;
