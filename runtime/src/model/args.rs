//! The captures of a `par` loop, as a list of copies.

#![allow(unsafe_code, reason = "the function that stands for the `unsafe` of the user")]

use anabranch_core::facts::Member;

use super::params::Params;
use crate::value::{self, DeviceType, DeviceValue};

/// A value that is passed to the device.
pub trait KernelArg: Copy + Send + Sync + 'static {
    /// The type of the value; for a view, the type of its elements.
    const TYPE: &'static DeviceType;
    /// The bytes of its parameters, at most: a multiple of the greatest alignment, which is 16, and
    /// at least 8 for each.
    const BYTES: usize;
    /// Appends the value in the form of the kernel's parameters.
    fn push(&self, params: &mut Params<'_>);
    /// The number with which the launch decides: an integer in the value, or the length of a view.
    fn number(&self, member: &Member) -> Option<i128>;
}

impl<T: DeviceValue> KernelArg for T {
    const TYPE: &'static DeviceType = T::TYPE;
    const BYTES: usize = (T::TYPE.layout().0 + 1).next_multiple_of(16); // a value may have no size
    #[inline]
    fn push(&self, params: &mut Params<'_>) {
        params.push(self);
    }
    #[inline]
    fn number(&self, member: &Member) -> Option<i128> {
        value::number(self, member)
    }
}

/// A list of captures: `(a, (b, ()))`.
pub trait Args: Copy + Send + Sync + 'static {
    /// The [bytes](KernelArg::BYTES) of all.
    const BYTES: usize;
    /// Their types, in order.
    fn types(out: &mut Vec<&'static DeviceType>);
    /// Appends them, in order.
    fn push(&self, params: &mut Params<'_>);
    /// The [number](KernelArg::number) of one of them.
    fn number(&self, capture: usize, member: &Member) -> Option<i128>;
}

impl Args for () {
    const BYTES: usize = 0;
    fn types(_: &mut Vec<&'static DeviceType>) {}
    #[inline]
    fn push(&self, _: &mut Params<'_>) {}
    fn number(&self, _: usize, _: &Member) -> Option<i128> {
        None
    }
}

impl<A: KernelArg, R: Args> Args for (A, R) {
    const BYTES: usize = A::BYTES + R::BYTES;
    fn types(out: &mut Vec<&'static DeviceType>) {
        out.push(A::TYPE);
        R::types(out);
    }
    #[inline]
    fn push(&self, params: &mut Params<'_>) {
        self.0.push(params);
        self.1.push(params);
    }
    #[inline]
    fn number(&self, capture: usize, member: &Member) -> Option<i128> {
        match capture {
            0 => self.0.number(member),
            capture => self.1.number(capture - 1, member),
        }
    }
}

/// An index that may also occur in another iteration. The user's `unsafe` asserts that it does not.
///
/// # Safety
/// No other iteration of the loop accesses the element, unless both read it.
#[inline(always)]
pub unsafe fn assume_disjoint<I>(index: I) -> I {
    index
}
