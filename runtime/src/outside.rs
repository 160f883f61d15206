//! `par` and `stream_parallel!` outside of kernels, where they mean nothing: the errors say so.
//!
//! In a kernel neither is ever compiled: `#[kernel]` takes both out of the source.

/// Marks a `for` loop of a [`#[kernel]`](macro@crate::kernel) function as parallel: `for i in par(0..n)`.
///
/// Outside of a kernel the loop does not compile.
pub fn par<R: InsideAKernel>(ranges: R) -> OnlyInAKernel<R> {
    OnlyInAKernel(ranges)
}

/// What [`par`] would give: no `par` loop outside of a kernel compiles, and this keeps rustc from finding more wrong
/// with it than that.
#[derive(Debug)]
#[doc(hidden)]
pub struct OnlyInAKernel<R>(R);

impl<R: Iterator> Iterator for OnlyInAKernel<R> {
    type Item = R::Item;

    fn next(&mut self) -> Option<R::Item> {
        self.0.next()
    }
}

/// What [`par`] wants outside of a kernel, and nothing is.
#[diagnostic::on_unimplemented(
    message = "`par` marks a parallel loop of a `#[kernel]` function",
    label = "this is not the host part of a kernel",
    note = "write `for i in range` for an ordinary loop, or put `#[kernel]` on the function"
)]
#[doc(hidden)]
pub trait InsideAKernel {}

/// Runs groups of `par` loops at the same time, in the host part of a [`#[kernel]`](macro@crate::kernel) function.
///
/// The loops behind the block start when all groups have finished. Where the host part leaves a block early, by a panic or because the
/// launch of a loop is an error, what stands before that place runs to its end and is joined, and nothing behind it is started: on
/// the CPU as on a GPU.
///
/// Outside of a kernel it does not compile.
#[macro_export]
macro_rules! stream_parallel {
    ($($tokens:tt)*) => {
        ::core::compile_error!("[AB0304] `stream_parallel!` is outside of a kernel\nhelp: move it into the host part of a `#[kernel]` function")
    };
}
