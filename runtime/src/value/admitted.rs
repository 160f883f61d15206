//! What generated code takes from the user's code: host values, constants, and the ends of ranges.
//!
//! Each value goes through a function from its type to a type of device code. The two types are
//! equal, but only a trait implementation says so. If it does not exist, rustc stops there and
//! reports one error instead of four. For the same reason there is no blanket implementation for
//! all types.

use std::marker::PhantomData;

use super::DeviceValue;
use super::number::Int;
use super::scalar::Scalar;

/// Converts a host value that a loop uses to a value of device code.
#[diagnostic::on_unimplemented(
    message = "a `par` loop cannot use a host value of type `{Self}`",
    label = "device code computes with `bool`, numbers, and tuples, arrays and `#[device]` structs and enums of them",
    note = "put `#[device]` above a struct or enum of your own, or take what the loop needs in the host part: `let width = config.width;`; longer data is a `&[T]` parameter of the kernel",
    note = "of a type parameter, put `#[device]` above its trait: `#[device] trait Area {{ … }}`",
    note = "in place of a reference take the value: a parameter `p: Params`, not `p: &Params`"
)]
pub trait HostValue<U> {
    /// The same value. The bound is here, because rustc reports one of the trait again for each
    /// struct that is not `Copy`.
    fn ab_host_value(&self) -> U
    where
        U: Copy;
}

/// Converts a constant that device code uses to a value of device code.
pub trait ConstantValue<U>: Sized {
    /// The same value.
    fn ab_constant_value(self) -> U;
}

/// A [`ConstantValue`]. The error message is on a trait of its own, because rustc shows the source
/// of an implementation of `ConstantValue`, such as the one for arrays, if its type is similar to
/// that of the constant.
#[diagnostic::on_unimplemented(
    message = "device code cannot use a constant of type `{Self}`",
    label = "device code computes with `bool`, numbers, and tuples, arrays and `#[device]` structs and enums of them",
    note = "put `#[device]` above a struct or enum of your own; a table is an array: `const TABLE: [f32; 3] = [0.5, 1.0, 0.5];`",
    note = "a function is no value: in place of `map(f32::sqrt)` write `map(|v| v.sqrt())`"
)]
pub trait Constant<U>: ConstantValue<U> {}
#[diagnostic::do_not_recommend]
impl<T: ConstantValue<U>, U> Constant<U> for T {}

/// Converts what has a type that the user has written, such as a parameter of a device function, to
/// a value of device code.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in device code",
    label = "device code computes with `bool`, numbers, and tuples, arrays and `#[device]` structs and enums of them",
    note = "if this is a struct or enum of your own, put `#[device]` above it; all its fields must be types of device code, too"
)]
pub trait Admitted<U> {
    /// The same value.
    fn ab_admitted(self) -> U;
}
#[diagnostic::do_not_recommend]
impl<T: DeviceValue> Admitted<T> for T {
    #[inline(always)]
    fn ab_admitted(self) -> T {
        self
    }
}
#[diagnostic::do_not_recommend]
impl<T: Never> Admitted<Excluded> for T {
    fn ab_admitted(self) -> Excluded {
        unreachable!("nothing implements `Never`")
    }
}

/// The same of a constant that is called like CUDA's index of a thread: `CudaIndex`, or one of the
/// user's.
#[diagnostic::on_unimplemented(
    message = "device code has no `threadIdx`, `blockIdx`, `blockDim` and `gridDim`",
    label = "nothing has this name here",
    note = "the index of a CUDA thread is the variable of a `par` loop: `for i in par(0..n) {{ … }}`"
)]
pub trait BuiltIn<U>: Copy {
    /// The same value.
    fn ab_built_in(self) -> U;
}
#[diagnostic::do_not_recommend]
impl<T: ConstantValue<U> + Copy, U> BuiltIn<U> for T {
    #[inline(always)]
    fn ab_built_in(self) -> U {
        self.ab_constant_value()
    }
}

/// Converts an end of a `par` range to a number that a loop counts with.
#[diagnostic::on_unimplemented(
    message = "`par` cannot count with `{Self}`",
    label = "the ends of a range of `par` are integers",
    note = "convert in device code: `for i in par(0..n) {{ let t = i as f32; … }}`"
)]
pub trait RangeEnd<U>: Copy {
    /// The same number.
    fn ab_range_end(self) -> U;
}

macro_rules! scalar_constants {
    ($($t:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl ConstantValue<$t> for $t {
            #[inline(always)]
            fn ab_constant_value(self) -> $t { self }
        }
    )* };
}
#[cfg(feature = "half")]
pub(super) use scalar_constants;
scalar_constants! { bool i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 }
/// Has no implementation. With a second implementation that only this bound excludes, rustc looks
/// at the bounds of both before it takes one: what no device has gets no type from the first.
pub trait Never {}
#[diagnostic::do_not_recommend]
impl<T: Never + Copy> HostValue<Excluded> for T {
    fn ab_host_value(&self) -> Excluded {
        unreachable!("nothing implements `Never`")
    }
}
#[diagnostic::do_not_recommend]
impl<T: Never + Copy> RangeEnd<Excluded> for T {
    fn ab_range_end(self) -> Excluded {
        unreachable!("nothing implements `Never`")
    }
}
/// The result of what cannot be called.
#[derive(Debug, Clone, Copy)]
pub enum Excluded {}

/// One implementation for all scalars: so the value of a variable whose type is not known yet, such
/// as `let k = 2;`, has that type.
#[diagnostic::do_not_recommend]
impl<T: Scalar> HostValue<T> for T {
    #[inline(always)]
    fn ab_host_value(&self) -> T {
        *self
    }
}
/// One implementation, for the same reason.
#[diagnostic::do_not_recommend]
impl<T: Int> RangeEnd<T> for T {
    #[inline(always)]
    fn ab_range_end(self) -> T {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T> HostValue<PhantomData<T>> for PhantomData<T> {
    #[inline(always)]
    fn ab_host_value(&self) -> Self {
        *self
    }
}
#[diagnostic::do_not_recommend]
impl<T> ConstantValue<PhantomData<T>> for PhantomData<T> {
    #[inline(always)]
    fn ab_constant_value(self) -> Self {
        self
    }
}

macro_rules! tuples {
    ($trait:ident $method:ident $This:ty: $(($($T:ident $U:ident)*))*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($T: $trait<$U>, $U: Copy),*> $trait<($($U,)*)> for ($($T,)*) {
            #[inline(always)]
            #[allow(non_snake_case)]
            #[allow(clippy::unused_unit)] // of the empty tuple
            fn $method(self: $This) -> ($($U,)*) {
                let ($($T,)*) = self;
                ($($T.$method(),)*)
            }
        }
    )* };
}
macro_rules! both {
    ($($tuples:tt)*) => {
        tuples! { HostValue ab_host_value &Self: $($tuples)* }
        tuples! { ConstantValue ab_constant_value Self: $($tuples)* }
    };
}
both! {
    () (A Z) (A Z B Y) (A Z B Y C X) (A Z B Y C X D W) (A Z B Y C X D W E V) (A Z B Y C X D W E V F U) (A Z B Y C X D W E V F U G T)
    (A Z B Y C X D W E V F U G T H S) (A Z B Y C X D W E V F U G T H S I R) (A Z B Y C X D W E V F U G T H S I R J Q)
    (A Z B Y C X D W E V F U G T H S I R J Q K P) (A Z B Y C X D W E V F U G T H S I R J Q K P L O)
}

#[diagnostic::do_not_recommend]
impl<T: HostValue<U>, U: Copy, const N: usize> HostValue<[U; N]> for [T; N] {
    #[inline(always)]
    fn ab_host_value(&self) -> [U; N] {
        self.each_ref().map(T::ab_host_value)
    }
}
#[diagnostic::do_not_recommend]
impl<T: ConstantValue<U>, U, const N: usize> ConstantValue<[U; N]> for [T; N] {
    #[inline(always)]
    fn ab_constant_value(self) -> [U; N] {
        self.map(T::ab_constant_value)
    }
}

/// Copies a host value for a loop. The parameter is a reference, so that the user's variable is not
/// moved.
#[inline(always)]
pub fn to_device<T: HostValue<U>, U: Copy>(value: &T) -> U {
    value.ab_host_value()
}

/// A parameter of a device function.
#[inline(always)]
pub fn parameter<T: Admitted<U>, U>(value: T) -> U {
    value.ab_admitted()
}

/// The value of a constant.
#[inline(always)]
pub fn named<T: Constant<U>, U>(value: T) -> U {
    value.ab_constant_value()
}

/// The same with the error of `BuiltIn`.
#[inline(always)]
pub fn built_in<T: BuiltIn<U>, U>(value: T) -> U {
    value.ab_built_in()
}
