//! The methods of `Option` and `Result`, as device code calls them.

use std::fmt::Debug;

use crate::cpu::format::panic_with_text;
use crate::model::slots::{Builtin, Callee, Expect, TypeOf, Unwrap, Unwrapped};
use crate::value::DeviceValue;
use crate::value::format::text;
use crate::value::scalar::Scalar;

/// Declares the methods in a trait and implements them with those of std.
macro_rules! methods {
    (
        $(#[$doc:meta])* $Trait:ident $(<$T:ident $(, $E:ident)?>)? for $Self:ty;
        $($name:ident $hidden:ident $(<$U:ident>)? ($($by:tt)*) ($($arg:ident: $A:ty),*) -> $R:ty;)*
    ) => {
        $(#[$doc])*
        #[allow(clippy::wrong_self_convention)] // what std takes: `is_some_and` has `self` by value
        pub trait $Trait $(<$T: DeviceValue $(, $E: DeviceValue)?>)? {
            $(
                #[doc = concat!("`x.", stringify!($name), "(…)`.")]
                fn $hidden $(<$U: DeviceValue>)? ($($by)* self $(, $arg: $A)*, _: Callee<Builtin<$R>>) -> $R;
            )*
        }
        impl $(<$T: DeviceValue $(, $E: DeviceValue)?>)? $Trait $(<$T $(, $E)?>)? for $Self {
            $(
                #[inline(always)]
                fn $hidden $(<$U: DeviceValue>)? ($($by)* self $(, $arg: $A)*, _: Callee<Builtin<$R>>) -> $R {
                    <$Self>::$name(self $(, $arg)*)
                }
            )*
        }
    };
}

methods! {
    /// The methods of `Option`.
    OptionMethods<T> for Option<T>;
    is_some is_some_in_device_code(&)() -> bool;
    is_none is_none_in_device_code(&)() -> bool;
    is_some_and is_some_and_in_device_code()(holds: impl FnOnce(T) -> bool) -> bool;
    is_none_or is_none_or_in_device_code()(holds: impl FnOnce(T) -> bool) -> bool;
    unwrap_or unwrap_or_in_device_code()(otherwise: T) -> T;
    unwrap_or_else unwrap_or_else_in_device_code()(otherwise: impl FnOnce() -> T) -> T;
    map map_in_device_code<U>()(f: impl FnOnce(T) -> U) -> Option<U>;
    map_or map_or_in_device_code<U>()(otherwise: U, f: impl FnOnce(T) -> U) -> U;
    map_or_else map_or_else_in_device_code<U>()(otherwise: impl FnOnce() -> U, f: impl FnOnce(T) -> U) -> U;
    inspect inspect_in_device_code()(f: impl FnOnce(&T)) -> Option<T>;
    filter filter_in_device_code()(holds: impl FnOnce(&T) -> bool) -> Option<T>;
    ok_or ok_or_in_device_code<U>()(error: U) -> Result<T, U>;
    ok_or_else ok_or_else_in_device_code<U>()(error: impl FnOnce() -> U) -> Result<T, U>;
    and and_in_device_code<U>()(other: Option<U>) -> Option<U>;
    and_then and_then_in_device_code<U>()(other: impl FnOnce(T) -> Option<U>) -> Option<U>;
    or or_in_device_code()(other: Option<T>) -> Option<T>;
    or_else or_else_in_device_code()(other: impl FnOnce() -> Option<T>) -> Option<T>;
    xor xor_in_device_code()(other: Option<T>) -> Option<T>;
    zip zip_in_device_code<U>()(other: Option<U>) -> Option<(T, U)>;
    take take_in_device_code(&mut)() -> Option<T>;
    replace replace_in_device_code(&mut)(value: T) -> Option<T>;
}

methods! {
    /// The methods of `Result`.
    ResultMethods<T, E> for Result<T, E>;
    is_ok is_ok_in_device_code(&)() -> bool;
    is_err is_err_in_device_code(&)() -> bool;
    is_ok_and is_ok_and_in_device_code()(holds: impl FnOnce(T) -> bool) -> bool;
    is_err_and is_err_and_in_device_code()(holds: impl FnOnce(E) -> bool) -> bool;
    unwrap_or unwrap_or_in_device_code()(otherwise: T) -> T;
    unwrap_or_else unwrap_or_else_in_device_code()(otherwise: impl FnOnce(E) -> T) -> T;
    map map_in_device_code<U>()(f: impl FnOnce(T) -> U) -> Result<U, E>;
    map_err map_err_in_device_code<U>()(f: impl FnOnce(E) -> U) -> Result<T, U>;
    map_or map_or_in_device_code<U>()(otherwise: U, f: impl FnOnce(T) -> U) -> U;
    map_or_else map_or_else_in_device_code<U>()(otherwise: impl FnOnce(E) -> U, f: impl FnOnce(T) -> U) -> U;
    inspect inspect_in_device_code()(f: impl FnOnce(&T)) -> Result<T, E>;
    inspect_err inspect_err_in_device_code()(f: impl FnOnce(&E)) -> Result<T, E>;
    ok ok_in_device_code()() -> Option<T>;
    err err_in_device_code()() -> Option<E>;
    and and_in_device_code<U>()(other: Result<U, E>) -> Result<U, E>;
    and_then and_then_in_device_code<U>()(other: impl FnOnce(T) -> Result<U, E>) -> Result<U, E>;
    or or_in_device_code<U>()(other: Result<T, U>) -> Result<T, U>;
    or_else or_else_in_device_code<U>()(other: impl FnOnce(E) -> Result<T, U>) -> Result<T, U>;
}

methods! {
    /// The methods of `bool`.
    BoolMethods for bool;
    then_some then_some_in_device_code<U>()(value: U) -> Option<U>;
    then then_in_device_code<U>()(value: impl FnOnce() -> U) -> Option<U>;
}

/// The slot of a parameter of a closure, of which the macro does not know whether it is a
/// reference: rustc finds this for both.
pub trait SameMethods: DeviceValue {
    /// Ties the type to the slot.
    #[inline(always)]
    fn ab_same(&self, _: TypeOf<Self>) {}
    /// The value as an operand.
    #[inline(always)]
    fn ab_value(&self) -> Self {
        *self
    }
}
impl<T: DeviceValue> SameMethods for T {}

/// `x.flatten()`.
pub trait NestedMethods<T: DeviceValue> {
    /// `x.flatten()`.
    fn flatten_in_device_code(self, _: Callee<Builtin<Option<T>>>) -> Option<T>;
}
impl<T: DeviceValue> NestedMethods<T> for Option<Option<T>> {
    #[inline(always)]
    fn flatten_in_device_code(self, _: Callee<Builtin<Option<T>>>) -> Option<T> {
        self.flatten()
    }
}

/// The methods that take the value or a default, which is that of a number.
pub trait DefaultMethods<T: Scalar> {
    /// `x.unwrap_or_default()`.
    fn unwrap_or_default_in_device_code(self, _: Callee<Builtin<T>>) -> T;
}
impl<T: Scalar> DefaultMethods<T> for Option<T> {
    #[inline(always)]
    fn unwrap_or_default_in_device_code(self, _: Callee<Builtin<T>>) -> T {
        self.unwrap_or_default()
    }
}
impl<T: Scalar, E: DeviceValue> DefaultMethods<T> for Result<T, E> {
    #[inline(always)]
    fn unwrap_or_default_in_device_code(self, _: Callee<Builtin<T>>) -> T {
        self.unwrap_or_default()
    }
}

impl<T: DeviceValue> Unwrapped for Option<T> {
    type Value = T;
    type Shown = ();
    #[inline(always)]
    fn split(self) -> Result<T, ()> {
        self.ok_or(())
    }
    fn text(words: Option<&'static str>, (): ()) -> Result<String, String> {
        Ok(words.unwrap_or("called `Option::unwrap()` on a `None` value").to_owned())
    }
}

impl<T: DeviceValue, E: DeviceValue + Debug> Unwrapped for Result<T, E> {
    type Value = T;
    type Shown = E;
    #[inline(always)]
    fn split(self) -> Self {
        self
    }
    fn text(words: Option<&'static str>, error: E) -> Result<String, String> {
        let words = words.unwrap_or("called `Result::unwrap()` on an `Err` value");
        let error = text(error, |error, out| out(format_args!("{error:?}")))?;
        Ok(format!("{words}: {error}"))
    }
}

/// The methods that take the value or fail.
pub trait UnwrapMethods: Unwrapped {
    /// `x.unwrap()`.
    #[inline(always)]
    #[track_caller]
    fn unwrap_in_device_code(self, _: Callee<Unwrap<Self>>) -> Self::Value {
        match self.split() {
            Ok(value) => value,
            Err(shown) => panic_with_text(Self::text(None, shown)),
        }
    }
    /// `x.expect("words")`.
    #[inline(always)]
    #[track_caller]
    fn expect_in_device_code<F: Fn() -> &'static str + Copy + 'static>(
        self,
        words: F,
        _: Callee<Expect<Self, F>>,
    ) -> Self::Value {
        match self.split() {
            Ok(value) => value,
            Err(shown) => panic_with_text(Self::text(Some(words()), shown)),
        }
    }
}
impl<R: Unwrapped> UnwrapMethods for R {}
