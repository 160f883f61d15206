//! What a `par` body uses of the host part: copies, as a list.

use super::params::Params;
use super::views::{DevMut, DevRef};
use crate::scalar::{Scalar, ScalarType};

/// A value that travels to the device.
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

/// A host value on its way into a loop; a reference, so that the user's variable is not moved.
///
/// A method and not a function: where it does not exist rustc has no type to go on with, and so one error and not four.
#[derive(Debug)]
pub struct HostValue<'a, T>(pub &'a T);

impl<T: Scalar> HostValue<'_, T> {
    /// The copy that travels.
    #[inline(always)]
    pub fn to_device(self) -> T {
        *self.0
    }
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
