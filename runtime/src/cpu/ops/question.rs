//! `value?` of device code.

use std::ops::ControlFlow;

use std::marker::PhantomData;

use crate::model::description::SlotValue;
use crate::model::slots::{Callee, DeviceFn, Slots, TypeOf};
use crate::value::DeviceValue;
use anabranch_core::scalar::IntType;

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
    note = "an `Option` returns from a function with an `Option`, a `Result` from one with a `Result`"
)]
pub trait FromRest<Rest> {
    /// The depth of the calls of what converts the rest.
    const DEPTH: usize = 0;
    /// What converts it, if that is a device function.
    fn called() -> SlotValue {
        SlotValue::Type(<()>::TYPE)
    }
    /// The result without a value.
    fn ab_from_rest(rest: Rest) -> Self;
}

/// What `?` makes of an error `E`: an `impl From<E>` with `#[device]`, or the error itself.
#[diagnostic::on_unimplemented(
    message = "`?` cannot convert an error of the type `{E}` to `{Self}` in device code",
    label = "this error is a `{E}`, and the function returns a `{Self}`",
    note = "put `#[device]` above `impl From<{E}> for {Self}`, or convert the error: `value.map_err(|error| …)?`"
)]
pub trait Convert<E>: DeviceValue {
    /// The depth of its calls.
    const DEPTH: usize = 0;
    /// As [`DeviceFn::total`].
    #[inline(always)]
    fn total() -> bool {
        Self::DEPTH == 0
    }
    /// The function, or the type if nothing is converted.
    fn called() -> SlotValue {
        SlotValue::Type(Self::TYPE)
    }
    /// The converted error.
    fn ab_convert(error: E) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: DeviceValue> Convert<E> for E {
    #[inline(always)]
    fn ab_convert(error: E) -> E {
        error
    }
}

/// `T::from(x)`, where `#[device]` is above the `impl` of `From`.
pub trait FromMethods<E: DeviceValue>: Convert<E> {
    /// `T::from(x)`.
    #[inline(always)]
    fn from_in_device_code(value: E, _: Callee<Converted<E, Self>>) -> Self {
        Self::ab_convert(value)
    }
}

/// The function of such an `impl`.
#[derive(Debug)]
pub struct Converted<E, T>(PhantomData<(E, T)>);

impl<E: DeviceValue, T: Convert<E>> DeviceFn for Converted<E, T> {
    const A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF: usize = T::DEPTH;
    fn called() -> SlotValue {
        T::called()
    }
    #[inline(always)]
    fn total() -> bool {
        T::total()
    }
}

/// The slot of what converts the rest of a `?` to the result `T` of a function.
#[derive(Debug)]
pub struct ConversionSlot<T, Rest>(PhantomData<fn() -> (T, Rest)>);

impl<T, Rest> Clone for ConversionSlot<T, Rest> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, Rest> Copy for ConversionSlot<T, Rest> {}

/// A slot that [`from_rest`] fills in.
#[inline(always)]
pub fn conversion<T, Rest>() -> ConversionSlot<T, Rest> {
    ConversionSlot(PhantomData)
}

impl<T: FromRest<Rest>, Rest> Slots for ConversionSlot<T, Rest> {
    const DEPTH: usize = T::DEPTH;
    const COUNT: usize = 1;
    fn describe(out: &mut Vec<SlotValue>) {
        out.push(T::called());
    }
    fn integer(_: usize) -> Option<IntType> {
        None
    }
}

/// No rest. Without a second implementation, rustc would take the one that there is for what `?`
/// returns, and would not say the words above.
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
impl<T, E, G: Convert<E>> FromRest<Failure<E>> for Result<T, G> {
    const DEPTH: usize = G::DEPTH;
    fn called() -> SlotValue {
        G::called()
    }
    #[inline(always)]
    fn ab_from_rest(Failure(error): Failure<E>) -> Self {
        Err(G::ab_convert(error))
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
pub fn from_rest<T: FromRest<Rest>, Rest>(_: TypeOf<T>, _: ConversionSlot<T, Rest>, rest: Rest) -> T {
    T::ab_from_rest(rest)
}
