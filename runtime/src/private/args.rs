//! What a `par` body uses of the host part: copies, as a list.

use super::params::Params;
use super::views::{DevMut, DevRef};
use crate::scalar::{Scalar, ScalarType};

/// A value that travels to the device.
#[diagnostic::on_unimplemented(
    message = "the host value `{Self}` cannot be used in a `par` loop",
    label = "used in a `par` loop, but it is not a scalar",
    note = "`bool`, integers and floats travel to the device by value; put longer data into a `&[T]` parameter"
)]
pub trait KernelArg: Copy + Send + Sync + 'static {
    /// Its type; of a view, that of its elements.
    const TYPE: ScalarType;
    /// Appends it as the kernel takes it.
    fn push(&self, params: &mut Params);
}

impl<T: Scalar> KernelArg for T {
    const TYPE: ScalarType = T::TYPE;
    fn push(&self, params: &mut Params) {
        params.push_int(self.bits(), size_of::<T>());
    }
}
impl<T: Scalar> KernelArg for DevRef<T> {
    const TYPE: ScalarType = T::TYPE;
    fn push(&self, params: &mut Params) {
        params.push_int(self.address().into(), 8);
        params.push_int(self.len() as u128, 8);
    }
}
impl<T: Scalar> KernelArg for DevMut<T> {
    const TYPE: ScalarType = T::TYPE;
    fn push(&self, params: &mut Params) {
        params.push_int(self.address().into(), 8);
        params.push_int(self.len() as u128, 8);
    }
}

/// Captures a host value. Takes a reference so that the user's variable is not moved.
#[inline(always)]
pub fn capture<T: KernelArg>(value: &T) -> T {
    *value
}

/// A list of captures: `(a, (b, ()))`.
pub trait Args: Copy + Send + Sync + 'static {
    /// Their types, in order.
    fn types(out: &mut Vec<ScalarType>);
    /// Appends them, in order.
    fn push(&self, params: &mut Params);
}

impl Args for () {
    fn types(_: &mut Vec<ScalarType>) {}
    fn push(&self, _: &mut Params) {}
}

impl<A: KernelArg, R: Args> Args for (A, R) {
    fn types(out: &mut Vec<ScalarType>) {
        out.push(A::TYPE);
        R::types(out);
    }
    fn push(&self, params: &mut Params) {
        self.0.push(params);
        self.1.push(params);
    }
}
