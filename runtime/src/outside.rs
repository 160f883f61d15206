//! `par`, `scratch` and `stream_parallel!` outside of kernels, where they are errors.
//!
//! In a kernel none of them is called, because `#[kernel]` replaces their uses.

use crate::Zeroed;
use crate::launch::scratch::{AfterLet, Scratch};
use crate::value::same_layout;

/// Marks a `for` loop in a [`#[kernel]`](macro@crate::kernel) function as parallel:
/// `for i in par(0..n)`.
///
/// Outside of a kernel, the loop does not compile.
#[doc(alias("threadIdx", "blockIdx", "blockDim", "gridDim", "prange"))]
#[doc(alias("ndrange", "into_par_iter"))]
pub fn par<R: InsideAKernel>(ranges: R) -> OnlyInAKernel<R> {
    OnlyInAKernel(ranges)
}

/// The result of [`par`]. A `par` loop outside of a kernel never compiles; this type keeps rustc
/// from reporting further errors.
#[derive(Debug)]
#[doc(hidden)]
pub struct OnlyInAKernel<R>(R);

impl<R: Iterator> Iterator for OnlyInAKernel<R> {
    type Item = R::Item;

    fn next(&mut self) -> Option<R::Item> {
        self.0.next()
    }
}

/// The bound of [`par`] outside of a kernel. No type implements it.
#[diagnostic::on_unimplemented(
    message = "`par` marks a parallel loop of a `#[kernel]` function",
    label = "this is not the host part of a kernel",
    note = "write `for i in range` for an ordinary loop, or put `#[kernel]` on the function",
    note = "the body of a `#[kernel(library)]` is host code; write a kernel that has the loop and calls the library kernel"
)]
#[doc(hidden)]
pub trait InsideAKernel {}

/// Elements that a kernel needs on the way: `let mut sums = scratch::<f32>(n);`, or
/// `scratch::<f32>([rows, columns])` for a grid, in the host part of a
/// [`#[kernel]`](macro@crate::kernel) function.
///
/// The elements are zero at first, and used like a slice or grid that is a parameter. They belong
/// to the launch until the end of the block; see
/// [the reference](crate::reference::host_part#scratch).
///
/// If there is not enough memory, the launch returns [`Error::OutOfMemory`](crate::Error) or
/// [`Error::OutOfHostMemory`](crate::Error). Elsewhere it does not compile.
#[doc(alias("malloc", "workspace", "temporary", "empty", "alloc"))]
pub fn scratch<T: Zeroed>(shape: impl AfterLet) -> Scratch<T> {
    // As for a buffer: what the device stores has the layout of Rust.
    const { same_layout::<T>() }
    shape.never()
}

/// Runs groups of `par` loops at the same time, in the host part of a
/// [`#[kernel]`](macro@crate::kernel) function.
///
/// The loops after the block start when all groups have finished. If the host part leaves a block
/// early, because of a panic or because the launch of a loop fails, the work before that place
/// completes and is joined, and no work after it starts. This is the same on the CPU and on a GPU.
///
/// Outside of a kernel, the macro does not compile.
#[macro_export]
macro_rules! stream_parallel {
    ($($tokens:tt)*) => {
        ::core::compile_error!("[AB0304] `stream_parallel!` is outside of a kernel\nhelp: move it into the host part of a `#[kernel]` function\nhelp: see docs/errors/AB0304.md in the repository of anabranch")
    };
}
