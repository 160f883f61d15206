//! What a `par` body uses of the host part: copies, as a list.

use super::dims::ParRange;
use super::params::Params;
use super::views::{DevAtomic, DevMut, DevRef};
use crate::atomic::Atomic;
use crate::scalar::Scalar;
use crate::value::{DeviceType, DeviceValue};

/// A value that travels to the device.
pub trait KernelArg: Copy + Send + Sync + 'static {
    /// Its type; of a view, that of its elements.
    const TYPE: &'static DeviceType;
    /// Appends it as the kernel takes it.
    fn push(&self, params: &mut Params);
}

impl<T: DeviceValue + Send + Sync> KernelArg for T {
    const TYPE: &'static DeviceType = T::TYPE;
    fn push(&self, params: &mut Params) {
        params.push(self);
    }
}
impl<T: Scalar> KernelArg for DevRef<T> {
    const TYPE: &'static DeviceType = <T as DeviceValue>::TYPE;
    fn push(&self, params: &mut Params) {
        params.push_int(self.address().into(), 8);
        params.push_int(self.len() as u128, 8);
    }
}
impl<T: Scalar> KernelArg for DevMut<T> {
    const TYPE: &'static DeviceType = <T as DeviceValue>::TYPE;
    fn push(&self, params: &mut Params) {
        params.push_int(self.address().into(), 8);
        params.push_int(self.len() as u128, 8);
    }
}
impl<A: Atomic> KernelArg for DevAtomic<A> {
    const TYPE: &'static DeviceType = <A::Value as DeviceValue>::TYPE;
    fn push(&self, params: &mut Params) {
        params.push_int(self.address().into(), 8);
        params.push_int(self.len() as u128, 8);
    }
}

/// A host value on its way into a loop; a reference, so that the user's variable is not moved.
///
/// A method and not a function: where it does not exist rustc has no type to go on with, and so one error and not four.
#[derive(Debug)]
pub struct HostValue<'a, T>(pub &'a T);

impl<T: DeviceValue> HostValue<'_, T> {
    /// The copy that travels.
    #[inline(always)]
    pub fn to_device(self) -> T {
        *self.0
    }
}

/// What rustc finds where the methods of [`HostValue`], [`ParRange`] and [`Named`](super::slots::Named) do not apply: their
/// bounds have the words for it.
#[allow(missing_docs)] // never called
pub trait OtherHostValue<T> {
    fn to_device(&self) -> <() as Travels<T>>::Copied
    where
        (): Travels<T>,
    {
        unreachable!("nothing implements `Travels`")
    }
    fn tie<S>(&self, _: S) -> <() as Constant<T>>::Value
    where
        (): Constant<T>,
    {
        unreachable!("nothing implements `Constant`")
    }
    fn exclusive(&self) -> <() as Counts<T>>::Dim
    where
        (): Counts<T>,
    {
        unreachable!("nothing implements `Counts`")
    }
    fn inclusive(&self) -> <() as Counts<T>>::Dim
    where
        (): Counts<T>,
    {
        unreachable!("nothing implements `Counts`")
    }
}
impl<T> OtherHostValue<T> for HostValue<'_, T> {}
impl<T> OtherHostValue<T> for ParRange<T> {}

/// Nothing but a reason for an error.
#[diagnostic::on_unimplemented(
    message = "device code cannot use a constant of type `{T}`",
    label = "device code computes with `bool`, integers, floats, and tuples and arrays of them",
    note = "a table is an array: `const TABLE: [f32; 3] = [0.5, 1.0, 0.5];`"
)]
pub trait Constant<T> {
    /// Of no matter.
    type Value;
}

/// Nothing but a reason for an error.
#[diagnostic::on_unimplemented(
    message = "`par` cannot count with `{T}`",
    label = "the ends of a range of `par` are integers",
    note = "convert in device code: `for i in par(0..n) {{ let t = i as f32; … }}`"
)]
pub trait Counts<T> {
    /// Of no matter.
    type Dim;
}

/// Nothing but a reason for an error; without an implementation, rustc has no type to go on with.
#[diagnostic::on_unimplemented(
    message = "a `par` loop cannot use a host value of type `{T}`",
    label = "device code computes with `bool`, integers, floats, and tuples and arrays of them",
    note = "longer data travels as a `&[T]` parameter of the kernel; of other values, take what the loop needs in the host part: `let width = config.width;`"
)]
pub trait Travels<T> {
    /// Of no matter.
    type Copied;
}

/// A list of captures: `(a, (b, ()))`.
pub trait Args: Copy + Send + Sync + 'static {
    /// Their types, in order.
    fn types(out: &mut Vec<&'static DeviceType>);
    /// Appends them, in order.
    fn push(&self, params: &mut Params);
}

impl Args for () {
    fn types(_: &mut Vec<&'static DeviceType>) {}
    fn push(&self, _: &mut Params) {}
}

impl<A: KernelArg, R: Args> Args for (A, R) {
    fn types(out: &mut Vec<&'static DeviceType>) {
        out.push(A::TYPE);
        R::types(out);
    }
    fn push(&self, params: &mut Params) {
        self.0.push(params);
        self.1.push(params);
    }
}

/// A host value as a number that the launch [decides](super::facts) with.
#[inline(always)]
pub fn number<T: DeviceValue>(value: T) -> Option<i128> {
    value.integer()
}

/// An index of an access that may be that of another iteration: the user's `unsafe` says that it is not.
///
/// # Safety
/// No other iteration of the loop touches the element, unless both read it.
#[inline(always)]
pub unsafe fn answered_for<I>(index: I) -> I {
    index
}
