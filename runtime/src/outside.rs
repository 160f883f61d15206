//! `par` and `stream_parallel!` outside of kernels, where they mean nothing: the errors say so.
//!
//! In a kernel neither is ever compiled: `#[kernel]` takes both out of the source.

/// Marks a `for` loop of a [`#[kernel]`](macro@crate::kernel) function as parallel: `for i in par(0..n)`.
///
/// Outside of a kernel the loop does not compile.
pub fn par<R>(ranges: R) -> OnlyInAKernel<R> {
    OnlyInAKernel(ranges)
}

/// What [`par`] gives outside of a kernel: nothing that can be looped over.
#[derive(Debug)]
#[doc(hidden)]
pub struct OnlyInAKernel<R>(#[allow(dead_code)] R);

/// Why a loop over [`OnlyInAKernel`] does not compile.
#[diagnostic::on_unimplemented(
    message = "`par` marks a parallel loop of a `#[kernel]` function",
    label = "this `for` is not in the host part of a kernel",
    note = "write `for i in range` for an ordinary loop, or put `#[kernel]` on the function"
)]
#[doc(hidden)]
pub trait InsideAKernel {}

/// No type is inside a kernel.
impl<R> Iterator for OnlyInAKernel<R>
where
    OnlyInAKernel<R>: InsideAKernel,
{
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        None
    }
}

/// Runs groups of `par` loops at the same time, in the host part of a [`#[kernel]`](macro@crate::kernel) function.
///
/// Outside of a kernel it does not compile.
#[macro_export]
macro_rules! stream_parallel {
    ($($tokens:tt)*) => {
        ::core::compile_error!("`stream_parallel!` stands in the host part of a `#[kernel]` function")
    };
}
