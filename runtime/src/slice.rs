//! Parts of buffers, and the traits of launch arguments.
//!
//! A part of a grid is a rectangle of it: some indexes of each dimension. Rows are the indexes of the first dimension, the slowest one, so some rows
//! lie next to each other in memory; other parts have gaps.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::sync::{Arc, MutexGuard, RwLockReadGuard, RwLockWriteGuard};

use crate::backend::{Memory, Use};
use crate::layout::{Layout, Ranges, ends};
use crate::order::hazard::AccessMode;
use crate::value::DeviceCopy;
use crate::value::atomic::Atomic;

/// A shared view of a part of a buffer.
///
/// Pass it for a kernel parameter `&[T]`; with several dimensions `D`, for a `&Grid<T, D>`. In the host part of the kernel the parameter is a view like this one. The host can get
/// the length of a view, but not its elements, which are in device memory.
pub struct Slice<'a, T, const D: usize = 1> {
    start: *mut T,
    layout: Layout<D>,
    memory: &'a Memory,
    elements: PhantomData<&'a [T]>,
}

/// A unique view of a part of a buffer.
///
/// Pass it for a kernel parameter `&mut [T]`; with several dimensions `D`, for a `&mut Grid<T, D>`. In the host part of the kernel the parameter is a view like this one.
pub struct SliceMut<'a, T, const D: usize = 1> {
    start: *mut T,
    layout: Layout<D>,
    memory: &'a Memory,
    elements: PhantomData<&'a mut [T]>,
}

// SAFETY: a view is a borrow of device memory; the streams order what is done with it.
unsafe impl<T: DeviceCopy, const D: usize> Send for Slice<'_, T, D> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy, const D: usize> Sync for Slice<'_, T, D> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy, const D: usize> Send for SliceMut<'_, T, D> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy, const D: usize> Sync for SliceMut<'_, T, D> {}

impl<T, const D: usize> Clone for Slice<'_, T, D> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const D: usize> Copy for Slice<'_, T, D> {}

/// What shared and unique views can be asked for.
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

            /// Returns `true` if the elements lie next to each other in memory. Those of a slice do, those of a whole grid, and those of some of
            /// its rows; those of another [`part`](Self::part) may not.
            pub fn is_contiguous(&self) -> bool {
                self.layout.is_contiguous()
            }

            pub(crate) fn layout(&self) -> Layout<D> {
                self.layout
            }

            /// All elements in one dimension.
            #[track_caller]
            fn flat(&self) -> Layout<1> {
                let shape = self.shape();
                assert!(self.is_contiguous(), "the elements of a part of shape {shape:?} do not lie next to each other");
                Layout::whole([self.len()])
            }
        }
    )* };
}
sizes! { Slice SliceMut }

impl<'a, T, const D: usize> Slice<'a, T, D> {
    pub(crate) fn new(memory: &'a Memory, start: *mut T, layout: Layout<D>) -> Self {
        Self { start, layout, memory, elements: PhantomData }
    }

    fn at<const E: usize>(&self, (first, layout): (usize, Layout<E>)) -> Slice<'a, T, E> {
        Slice::new(self.memory, self.start.wrapping_add(first), layout)
    }

    /// Splits the view at `mid` into two views: the elements before `mid`, and the rest; of a grid, the rows.
    ///
    /// # Panics
    /// Panics if `mid` is greater than the number of elements or rows.
    #[track_caller]
    pub fn split_at(&self, mid: usize) -> (Slice<'a, T, D>, Slice<'a, T, D>) {
        self.split_dim_at(0, mid)
    }

    /// Splits the view along dimension `dim`, counted from 0: the indexes before `mid`, and the rest. So `split_dim_at(1, mid)` splits the columns
    /// of a grid of two dimensions.
    ///
    /// # Panics
    /// Panics if there is no such dimension, or if `mid` is greater than its length.
    #[track_caller]
    pub fn split_dim_at(&self, dim: usize, mid: usize) -> (Slice<'a, T, D>, Slice<'a, T, D>) {
        let [left, right] = self.layout.split(dim, mid);
        (self.at(left), self.at(right))
    }

    /// Borrows some rows: indexes of the first dimension, the slowest one. Of a slice, rows are elements.
    ///
    /// # Panics
    /// Panics if the range is out of bounds.
    #[track_caller]
    pub fn rows(&self, range: impl RangeBounds<usize>) -> Slice<'a, T, D> {
        self.at(self.layout.parts(&[ends(&range)]))
    }

    /// Borrows a rectangle: a range of indexes for each dimension, as an array or a tuple. See [`Buffer::part`](crate::Buffer::part).
    ///
    /// # Panics
    /// Panics if a range is out of bounds.
    #[track_caller]
    pub fn part(&self, ranges: impl Ranges<D>) -> Slice<'a, T, D> {
        self.at(self.layout.parts(&ranges.bounds()))
    }

    /// Borrows all elements in one dimension, in row-major order.
    ///
    /// # Panics
    /// Panics if the elements do not lie next to each other in memory: see [`is_contiguous`](Self::is_contiguous).
    #[track_caller]
    pub fn as_slice(&self) -> Slice<'a, T> {
        self.at((0, self.flat()))
    }

    /// First element on the device.
    pub(crate) fn as_ptr(&self) -> *const T {
        self.start
    }

    /// For generated code: what a launch does with this argument.
    #[doc(hidden)]
    pub fn usage(&self, name: &'static str) -> Use<'a> {
        used(name, self.memory, self.start, self.layout, AccessMode::Read)
    }
}

impl<'a, T, const D: usize> SliceMut<'a, T, D> {
    pub(crate) fn new(memory: &'a Memory, start: *mut T, layout: Layout<D>) -> Self {
        Self { start, layout, memory, elements: PhantomData }
    }

    /// A part. Those that one borrow is taken apart into must not have elements in common.
    fn at_mut<const E: usize>(&mut self, (first, layout): (usize, Layout<E>)) -> SliceMut<'_, T, E> {
        SliceMut::new(self.memory, self.start.wrapping_add(first), layout)
    }

    /// Splits the view at `mid` into two unique views: the elements before `mid`, and the rest; of a grid, the rows.
    ///
    /// # Panics
    /// Panics if `mid` is greater than the number of elements or rows.
    #[track_caller]
    pub fn split_at_mut(&mut self, mid: usize) -> (SliceMut<'_, T, D>, SliceMut<'_, T, D>) {
        self.split_dim_at_mut(0, mid)
    }

    /// Splits the view along dimension `dim`, counted from 0: the indexes before `mid`, and the rest. So `split_dim_at_mut(1, mid)` splits the
    /// columns of a grid of two dimensions, and both halves can be written at the same time.
    ///
    /// # Panics
    /// Panics if there is no such dimension, or if `mid` is greater than its length.
    #[track_caller]
    pub fn split_dim_at_mut(&mut self, dim: usize, mid: usize) -> (SliceMut<'_, T, D>, SliceMut<'_, T, D>) {
        let [(_, left), (first, right)] = self.layout.split(dim, mid);
        let second = self.start.wrapping_add(first);
        (SliceMut::new(self.memory, self.start, left), SliceMut::new(self.memory, second, right))
    }

    /// Splits the view at `mid` into two shared views: the elements before `mid`, and the rest; of a grid, the rows.
    ///
    /// # Panics
    /// Panics if `mid` is greater than the number of elements or rows.
    #[track_caller]
    pub fn split_at(&self, mid: usize) -> (Slice<'_, T, D>, Slice<'_, T, D>) {
        self.shared().split_at(mid)
    }

    /// Splits the view along a dimension into two shared views. See [`Slice::split_dim_at`].
    ///
    /// # Panics
    /// Panics if there is no such dimension, or if `mid` is greater than its length.
    #[track_caller]
    pub fn split_dim_at(&self, dim: usize, mid: usize) -> (Slice<'_, T, D>, Slice<'_, T, D>) {
        self.shared().split_dim_at(dim, mid)
    }

    /// Borrows some rows for reading. See [`Slice::rows`].
    ///
    /// # Panics
    /// Panics if the range is out of bounds.
    #[track_caller]
    pub fn rows(&self, range: impl RangeBounds<usize>) -> Slice<'_, T, D> {
        self.shared().rows(range)
    }

    /// Borrows some rows for writing. See [`Slice::rows`].
    ///
    /// # Panics
    /// Panics if the range is out of bounds.
    #[track_caller]
    pub fn rows_mut(&mut self, range: impl RangeBounds<usize>) -> SliceMut<'_, T, D> {
        let rows = self.layout.parts(&[ends(&range)]);
        self.at_mut(rows)
    }

    /// Borrows a rectangle for reading. See [`Buffer::part`](crate::Buffer::part).
    ///
    /// # Panics
    /// Panics if a range is out of bounds.
    #[track_caller]
    pub fn part(&self, ranges: impl Ranges<D>) -> Slice<'_, T, D> {
        self.shared().part(ranges)
    }

    /// Borrows a rectangle for writing. See [`Buffer::part`](crate::Buffer::part).
    ///
    /// # Panics
    /// Panics if a range is out of bounds.
    #[track_caller]
    pub fn part_mut(&mut self, ranges: impl Ranges<D>) -> SliceMut<'_, T, D> {
        let part = self.layout.parts(&ranges.bounds());
        self.at_mut(part)
    }

    /// Borrows all elements for reading, in one dimension and in row-major order.
    ///
    /// # Panics
    /// Panics if the elements do not lie next to each other in memory: see [`is_contiguous`](Self::is_contiguous).
    #[track_caller]
    pub fn as_slice(&self) -> Slice<'_, T> {
        self.shared().as_slice()
    }

    /// Borrows all elements for writing, in one dimension and in row-major order.
    ///
    /// # Panics
    /// As [`as_slice`](Self::as_slice).
    #[track_caller]
    pub fn as_mut_slice(&mut self) -> SliceMut<'_, T> {
        let flat = self.flat();
        self.at_mut((0, flat))
    }

    /// A shared view of the same elements.
    pub(crate) fn shared(&self) -> Slice<'_, T, D> {
        Slice::new(self.memory, self.start, self.layout)
    }

    /// The same elements as atomics, which may be shared.
    pub(crate) fn into_atomic<A: Atomic<Value = T>>(self) -> Slice<'a, A, D> {
        Slice::new(self.memory, self.start.cast(), self.layout)
    }

    /// Returns a unique view of the same elements with a shorter lifetime.
    pub fn reborrow(&mut self) -> SliceMut<'_, T, D> {
        SliceMut::new(self.memory, self.start, self.layout)
    }

    /// As [`rows_mut`](Self::rows_mut), for as long as this view.
    #[track_caller]
    pub(crate) fn into_rows(self, range: impl RangeBounds<usize>) -> SliceMut<'a, T, D> {
        let (first, rows) = self.layout.parts(&[ends(&range)]);
        SliceMut::new(self.memory, self.start.wrapping_add(first), rows)
    }

    /// First element on the device.
    pub(crate) fn as_ptr(&self) -> *mut T {
        self.start
    }

    /// For generated code: what a launch does with this argument.
    #[doc(hidden)]
    pub fn usage(&self, name: &'static str) -> Use<'a> {
        used(name, self.memory, self.start, self.layout, AccessMode::Write)
    }
}

/// All bytes from the first element to the last one. What other streams do with bytes between them waits, although it need not.
fn used<'a, T, const D: usize>(
    name: &'static str,
    memory: &'a Memory,
    start: *mut T,
    layout: Layout<D>,
    access: AccessMode,
) -> Use<'a> {
    let offset = start as usize - memory.start() as usize;
    let bytes = offset..offset + layout.span() * size_of::<T>();
    Use { name, memory, bytes, gaps: !layout.is_contiguous(), access }
}

impl<T, const D: usize> fmt::Debug for Slice<'_, T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slice({} elements at {:p})", self.len(), self.start)
    }
}

impl<T, const D: usize> fmt::Debug for SliceMut<'_, T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SliceMut({} elements at {:p})", self.len(), self.start)
    }
}

/// An argument for a kernel parameter `&[T]`: a [`Buffer`](crate::Buffer), a [`Slice`], or a type that wraps one (a reference, a
/// `Box`, an `Arc`, the guard of a lock).
///
/// # Safety
/// The view must belong to a buffer that stays borrowed as long as the view exists. You should not need to implement this trait:
/// wrap the types that implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory",
    label = "expected a `Buffer`, or a `Slice` of one",
    note = "a kernel parameter `&[T]` takes `&buffer` or `&buffer.slice(a..b)`; make a buffer with `device.buffer_from(&data)?`"
)]
pub unsafe trait SliceArg {
    /// The element type.
    type Elem: DeviceCopy;
    /// Returns a view of the elements.
    fn view(&self) -> Slice<'_, Self::Elem>;
}

/// An argument for a kernel parameter `&mut [T]`: a [`Buffer`](crate::Buffer), a [`SliceMut`], or a type that wraps one.
///
/// # Safety
/// The requirements of [`SliceArg`] apply, and the borrow must be unique.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory that a kernel can write",
    label = "expected a `Buffer`, or a `SliceMut` of one",
    note = "a kernel parameter `&mut [T]` takes `&mut buffer` or `&mut buffer.slice_mut(a..b)`; make a buffer with `device.buffer_from(&data)?`"
)]
pub unsafe trait SliceMutArg {
    /// The element type.
    type Elem: DeviceCopy;
    /// Returns a unique view of the elements.
    fn view_mut(&mut self) -> SliceMut<'_, Self::Elem>;
}

/// An argument for a kernel parameter `&Grid<T, D>`: a [`Buffer`](crate::Buffer) or [`Slice`] of `D` dimensions, or a type that wraps one.
///
/// # Safety
/// The requirements of [`SliceArg`] apply.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a grid of {D} dimensions",
    label = "expected a `Buffer` with {D} dimensions, or a part of one",
    note = "a kernel parameter `&Grid<T, {D}>` takes `&buffer`, `&buffer.rows(a..b)` or `&buffer.part((a..b, c..d))`; make a buffer with `device.grid_from(&data, shape)?`"
)]
pub unsafe trait GridArg<const D: usize> {
    /// The element type.
    type Elem: DeviceCopy;
    /// Returns a view of the grid.
    fn grid(&self) -> Slice<'_, Self::Elem, D>;
}

/// An argument for a kernel parameter `&mut Grid<T, D>`: a [`Buffer`](crate::Buffer) or [`SliceMut`] of `D` dimensions, or a type that wraps
/// one.
///
/// # Safety
/// The requirements of [`SliceMutArg`] apply.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a grid of {D} dimensions that a kernel can write",
    label = "expected a `Buffer` with {D} dimensions, or a part of one",
    note = "a kernel parameter `&mut Grid<T, {D}>` takes `&mut buffer`, `&mut buffer.rows_mut(a..b)` or `&mut buffer.part_mut((a..b, c..d))`; make a buffer with `device.grid_from(&data, shape)?`"
)]
pub unsafe trait GridMutArg<const D: usize> {
    /// The element type.
    type Elem: DeviceCopy;
    /// Returns a unique view of the grid.
    fn grid_mut(&mut self) -> SliceMut<'_, Self::Elem, D>;
}

// SAFETY: the view reborrows.
unsafe impl<T: DeviceCopy, const D: usize> GridArg<D> for Slice<'_, T, D> {
    type Elem = T;
    fn grid(&self) -> Slice<'_, T, D> {
        *self
    }
}
// SAFETY: the view reborrows.
unsafe impl<T: DeviceCopy, const D: usize> GridArg<D> for SliceMut<'_, T, D> {
    type Elem = T;
    fn grid(&self) -> Slice<'_, T, D> {
        self.shared()
    }
}
// SAFETY: the view reborrows uniquely.
unsafe impl<T: DeviceCopy, const D: usize> GridMutArg<D> for SliceMut<'_, T, D> {
    type Elem = T;
    fn grid_mut(&mut self) -> SliceMut<'_, T, D> {
        self.reborrow()
    }
}

// SAFETY: the view reborrows.
unsafe impl<T: DeviceCopy> SliceArg for Slice<'_, T> {
    type Elem = T;
    fn view(&self) -> Slice<'_, T> {
        *self
    }
}
// SAFETY: the view reborrows.
unsafe impl<T: DeviceCopy> SliceArg for SliceMut<'_, T> {
    type Elem = T;
    fn view(&self) -> Slice<'_, T> {
        self.shared()
    }
}
// SAFETY: the view reborrows uniquely.
unsafe impl<T: DeviceCopy> SliceMutArg for SliceMut<'_, T> {
    type Elem = T;
    fn view_mut(&mut self) -> SliceMut<'_, T> {
        self.reborrow()
    }
}

macro_rules! wrappers {
    (read: $($reader:ty),*; write: $($writer:ty),* $(,)?) => {
        $(
            // SAFETY: the wrapper lends the value inside for as long as it is borrowed itself.
            unsafe impl<S: SliceArg + ?Sized> SliceArg for $reader {
                type Elem = S::Elem;
                fn view(&self) -> Slice<'_, S::Elem> { (**self).view() }
            }
            // SAFETY: as above.
            unsafe impl<S: GridArg<D> + ?Sized, const D: usize> GridArg<D> for $reader {
                type Elem = S::Elem;
                fn grid(&self) -> Slice<'_, S::Elem, D> { (**self).grid() }
            }
        )*
        $(
            // SAFETY: as above; it is borrowed uniquely.
            unsafe impl<S: SliceMutArg + ?Sized> SliceMutArg for $writer {
                type Elem = S::Elem;
                fn view_mut(&mut self) -> SliceMut<'_, S::Elem> { (**self).view_mut() }
            }
            // SAFETY: as above.
            unsafe impl<S: GridMutArg<D> + ?Sized, const D: usize> GridMutArg<D> for $writer {
                type Elem = S::Elem;
                fn grid_mut(&mut self) -> SliceMut<'_, S::Elem, D> { (**self).grid_mut() }
            }
        )*
    };
}
wrappers! {
    read: &S, &mut S, Box<S>, Arc<S>, MutexGuard<'_, S>, RwLockReadGuard<'_, S>, RwLockWriteGuard<'_, S>;
    write: &mut S, Box<S>, MutexGuard<'_, S>, RwLockWriteGuard<'_, S>
}
