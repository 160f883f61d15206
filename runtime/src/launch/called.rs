//! Kernels that the host part of another kernel calls.
//!
//! A call is `callee::called_in_host_part(place).with(arguments)`. `callee` is an import of the
//! user's path, which brings in the type beside a kernel. If there is no such type, an alias of
//! [`NotAKernel`] takes its place, and rustc says that the function is no kernel.

use std::marker::PhantomData;

use super::host::Ctx;
use crate::backend::{Failing, NestedCall, Place};
use crate::capture::Recorder;
use crate::error::Result;
use crate::model::description::Instance;
use crate::model::kernel::Kernel;
use crate::stream::Stream;

/// The place of a call in a host part.
pub struct Nested<'r> {
    pub(super) by: &'static Kernel,
    pub(super) line: u32,
    pub(super) stream: &'r Stream,
    pub(super) failed: Failing<'r>,
    pub(super) place: Place<'r>,
    pub(super) recorder: Option<Recorder<'r>>,
}

impl std::fmt::Debug for Nested<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Nested(in {}, line {})", self.by.name, self.line)
    }
}

impl Nested<'_> {
    /// Runs the host part of the called kernel. Its loops go where those of the caller go, and the
    /// launch has already ordered what they use: views of a called kernel are parts of views of its
    /// caller.
    pub(super) fn run(self, callee: Instance, host: &mut dyn FnMut(&mut Ctx<'_>)) {
        let Nested { by, line, stream, failed, place, recorder } = self;
        if failed.is_set() {
            return;
        }
        let call = NestedCall { by, line, outer: failed.calls() };
        let failed = failed.within(&call);
        let run: Result<()> = place.nested(callee, |place| {
            host(&mut Ctx { kernel: callee.kernel, stream, failed, place, recorder, only_decides: false })
        });
        failed.note(run);
    }
}

/// A call of a kernel: what was called, as a type. [`called`] unifies it with a parameter of the
/// host closure, so that the launch can name the callee without running anything.
#[derive(Debug)]
pub struct Called<I>(PhantomData<fn() -> I>);

impl<I> Clone for Called<I> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I> Copy for Called<I> {}

impl<I> Called<I> {
    /// A value without data, only with types.
    #[inline(always)]
    pub fn new() -> Self {
        Self(PhantomData)
    }
}

impl<I> Default for Called<I> {
    fn default() -> Self {
        Self::new()
    }
}

/// Ties a call to its parameter of the host closure.
#[inline(always)]
pub fn called<I>(_: Called<I>, _: Called<I>) {}

/// A kernel with all its type and const parameters.
pub trait CalledKernel {
    /// The kernel, as its launcher names it.
    fn instance() -> Instance;
}

/// Takes the place of a function that is no kernel, so that a call with slices is an error.
///
/// The parameter has no meaning: without it, rustc would report the bound here and not at the use.
#[derive(Debug)]
pub struct NotAKernel<X = ()>(PhantomData<X>);

impl<X> NotAKernel<X> {
    /// A kernel has its own function of this name.
    pub fn called_in_host_part(_: Nested<'_>) -> <Self as IsKernel>::Call
    where
        Self: IsKernel,
    {
        unreachable!("no value of this type is a kernel")
    }
}

/// Exists only for its error message.
#[diagnostic::on_unimplemented(
    message = "only kernels can be called with slices in the host part of a kernel",
    label = "this function is not one",
    note = "put `#[kernel]` above the function, or `#[kernel(library)]` if a library does its work",
    note = "a `#[device]` function is called in `par` loops",
    note = "swap slices by `std::mem::swap(&mut a, &mut b)` or `(a, b) = (b, a)`"
)]
pub trait IsKernel {
    /// Has no meaning.
    type Call;
}
