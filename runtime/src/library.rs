//! Library kernels: the work of a library as a kernel, such as a matrix product of cuBLAS.
//!
//! The body of a [`#[kernel(library)]`](crate::reference::host_part#library-kernels) is host code.
//! It gets the [`Stream`](crate::Stream) on which the kernel is launched or called, and hands work
//! to a library that queues on this stream. In the body, a parameter `&[T]` or `&Grid<T, 2>` is an
//! [`Input`], and a parameter `&mut [T]` or `&mut Grid<T, 2>` is an [`Output`].

#![allow(unsafe_code, reason = "views of library kernels")]

use std::error::Error;
use std::fmt;
use std::marker::PhantomData;

use crate::layout::Layout;

/// A slice or grid that a library kernel reads.
///
/// A parameter `&[AtomicU32]` is an `Input<AtomicU32>`, whose elements the library may also change.
pub struct Input<'a, T, const D: usize = 1> {
    start: *const T,
    layout: Layout<D>,
    in_host_memory: bool,
    elements: PhantomData<&'a [T]>,
}

/// A slice or grid that a library kernel writes, and may read.
pub struct Output<'a, T, const D: usize = 1> {
    start: *mut T,
    layout: Layout<D>,
    in_host_memory: bool,
    elements: PhantomData<&'a mut [T]>,
}

/// What both can be asked for.
macro_rules! sizes {
    ($($view:ident)*) => { $(
        impl<T, const D: usize> $view<'_, T, D> {
            /// Returns the number of elements.
            pub fn len(&self) -> usize {
                self.layout.len()
            }

            /// Returns `true` if there are no elements.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Returns the number of elements along each dimension.
            pub fn shape(&self) -> [usize; D] {
                self.layout.shape()
            }

            /// Returns the number of elements from one index to the next along each dimension. The
            /// last one is 1. For a matrix, the first one is what a BLAS calls the leading
            /// dimension.
            pub fn strides(&self) -> [usize; D] {
                self.layout.strides()
            }

            /// Whether the host can use the elements as one slice.
            fn is_slice(&self) -> bool {
                self.in_host_memory && self.layout.is_contiguous()
            }
        }

        impl<T, const D: usize> fmt::Debug for $view<'_, T, D> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($view), "(shape {:?} at {:?})"), self.shape(), self.start)
            }
        }
    )* };
}
sizes! { Input Output }

impl<'a, T, const D: usize> Input<'a, T, D> {
    /// # Safety
    /// As long as the view exists, and for `'a`, the elements of this layout at `start` are
    /// borrowed; `in_host_memory` says whether they are the host's.
    pub(crate) unsafe fn new(start: *const T, layout: Layout<D>, in_host_memory: bool) -> Self {
        Self { start, layout, in_host_memory, elements: PhantomData }
    }

    /// Returns the address of the first element, in the memory of the device.
    ///
    /// It is valid for work that is queued on the stream of the kernel before the body returns. On
    /// the CPU device it is valid until the body returns. No work may write there, unless the
    /// elements are atomics.
    pub fn as_ptr(&self) -> *const T {
        self.start
    }

    /// Returns the elements if the host can use them: `Some` on the CPU device, `None` on a GPU.
    ///
    /// A part of a grid with gaps between its rows is no slice, so this is `None`, too; use
    /// [`as_ptr`](Self::as_ptr) and [`strides`](Self::strides).
    pub fn as_slice(&self) -> Option<&'a [T]> {
        // SAFETY: for `'a` the elements are borrowed, lie next to each other, and are the host's.
        // On the CPU device the body runs when it is this kernel's turn: nothing else of the
        // launch, and no graph, writes them before it returns.
        self.is_slice().then(|| unsafe { std::slice::from_raw_parts(self.start, self.layout.len()) })
    }
}

impl<T, const D: usize> Output<'_, T, D> {
    /// # Safety
    /// As for [`Input::new`], and the borrow is unique.
    pub(crate) unsafe fn new(start: *mut T, layout: Layout<D>, in_host_memory: bool) -> Self {
        Self { start, layout, in_host_memory, elements: PhantomData }
    }

    /// Returns the address of the first element, in the memory of the device, for reading and
    /// writing; valid as long as [`Input::as_ptr`].
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.start
    }

    /// Returns the elements if the host can use them; see [`Input::as_slice`].
    pub fn as_slice(&self) -> Option<&[T]> {
        // SAFETY: as for `Input::as_slice`.
        self.is_slice().then(|| unsafe { std::slice::from_raw_parts(self.start, self.layout.len()) })
    }

    /// Returns the elements for writing if the host can use them; see [`Input::as_slice`].
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        // SAFETY: as for `Input::as_slice`; nothing else uses the elements, and `self` is borrowed
        // uniquely.
        self.is_slice().then(|| unsafe { std::slice::from_raw_parts_mut(self.start, self.layout.len()) })
    }
}

/// What the body of a library kernel returns: `()`, or a `Result<(), E>` whose error becomes
/// [`Error::Library`](crate::Error::Library).
#[diagnostic::on_unimplemented(
    message = "a library kernel returns `()` or `Result<(), E>`, not `{Self}`",
    label = "not the outcome of a library kernel",
    note = "`E` is an error that is `Send + Sync`, such as a `BlasError` or an `anabranch::Error`, or text",
    note = "write results to `&mut [T]` parameters"
)]
pub trait Outcome {
    /// Returns it as a result.
    ///
    /// # Errors
    /// The error that the body has returned.
    fn outcome(self) -> Result<(), Box<dyn Error + Send + Sync>>;
}

impl Outcome for () {
    fn outcome(self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(())
    }
}

#[diagnostic::do_not_recommend]
impl<E: Into<Box<dyn Error + Send + Sync>>> Outcome for Result<(), E> {
    fn outcome(self) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.map_err(Into::into)
    }
}

/// A parameter of a library kernel that is no slice and no grid. Every type that is
/// `Clone + Send + Sync + 'static` is one.
///
/// On the CPU device, a graph runs the body at each of its launches, on any thread, with a clone of
/// the value.
#[diagnostic::on_unimplemented(
    message = "a library kernel cannot take a `{Self}`",
    label = "expected a type that is `Clone + Send + Sync + 'static`",
    note = "in a group and in a graph the body runs later, on any thread, and may run many times",
    note = "share a handle of a library as `Arc<Handle>`, or as `Arc<Mutex<Handle>>` if one thread at a time may use it"
)]
pub trait LibraryValue: Clone + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Clone + Send + Sync + 'static> LibraryValue for T {}
