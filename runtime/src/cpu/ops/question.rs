//! `value?` of device code.

use std::ops::ControlFlow;

use crate::model::slots::TypeOf;
use crate::value::DeviceValue;

/// What `?` may follow. The `Rest` is what has no value: `None`, or an error.
#[diagnostic::on_unimplemented(
    message = "`?` cannot be applied to a value of type `{Self}`",
    label = "`?` follows an `Option` or a `Result`"
)]
pub trait Question: DeviceValue {
    /// The value.
    type Answer;
    /// What is returned where there is no value.
    type Rest;
    /// The value, or what is returned.
    fn ab_ask(self) -> ControlFlow<Self::Rest, Self::Answer>;
}

/// What a device function with `?` returns.
#[diagnostic::on_unimplemented(
    message = "this `?` cannot return from a device function whose result is `{Self}`",
    label = "what it returns is of another type",
    note = "an `Option` returns from a function with an `Option`, a `Result` from one with a `Result` of the same error type; to convert an error, write a `match`"
)]
pub trait FromRest<Rest> {
    /// The result without a value.
    fn ab_from_rest(rest: Rest) -> Self;
}

/// No rest. Without a second implementation, rustc would take the one that there is for what `?` returns, and would not say the words above.
#[derive(Debug)]
pub enum Never {}

/// `None`, of an `Option` whose type does not matter.
#[derive(Debug)]
pub struct Nothing;

/// The error of a `Result` whose value does not matter.
#[derive(Debug)]
pub struct Failure<E>(E);

#[diagnostic::do_not_recommend]
impl<T: DeviceValue> Question for Option<T> {
    type Answer = T;
    type Rest = Nothing;
    #[inline(always)]
    fn ab_ask(self) -> ControlFlow<Nothing, T> {
        self.map_or(ControlFlow::Break(Nothing), ControlFlow::Continue)
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeviceValue, E: DeviceValue> Question for Result<T, E> {
    type Answer = T;
    type Rest = Failure<E>;
    #[inline(always)]
    fn ab_ask(self) -> ControlFlow<Failure<E>, T> {
        self.map_or_else(|error| ControlFlow::Break(Failure(error)), ControlFlow::Continue)
    }
}

#[diagnostic::do_not_recommend]
impl<T> FromRest<Nothing> for Option<T> {
    #[inline(always)]
    fn ab_from_rest(_: Nothing) -> Self {
        None
    }
}

#[diagnostic::do_not_recommend]
impl<T, E> FromRest<Failure<E>> for Result<T, E> {
    #[inline(always)]
    fn ab_from_rest(Failure(error): Failure<E>) -> Self {
        Err(error)
    }
}

#[diagnostic::do_not_recommend]
impl<T> FromRest<Never> for Option<T> {
    fn ab_from_rest(rest: Never) -> Self {
        match rest {}
    }
}

#[diagnostic::do_not_recommend]
impl<T, E> FromRest<Never> for Result<T, E> {
    fn ab_from_rest(rest: Never) -> Self {
        match rest {}
    }
}

/// `value?`: the value, or what is returned.
#[inline(always)]
pub fn ask<T: Question>(value: T) -> ControlFlow<T::Rest, T::Answer> {
    value.ab_ask()
}

/// The result of a function, whose slot this is, without a value.
#[inline(always)]
pub fn from_rest<T: FromRest<Rest>, Rest>(_: TypeOf<T>, rest: Rest) -> T {
    T::ab_from_rest(rest)
}
