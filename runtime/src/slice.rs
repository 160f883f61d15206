//! Parts of buffers, and the traits of launch arguments.
//!
//! A part of a grid is a range of its rows, the indexes of the slowest dimension, so that its elements are contiguous.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use std::sync::{Arc, MutexGuard, RwLockReadGuard, RwLockWriteGuard};

use crate::backend::{Memory, Use};
use crate::order::hazard::AccessMode;
use crate::value::DeviceCopy;
use crate::value::atomic::Atomic;

/// A shared view of a part of a buffer.
///
/// Pass it for a kernel parameter `&[T]`; with several dimensions `D`, for a `&Grid<T, D>`. In the host part of the kernel the parameter is a view like this one. The host can get
/// the length of a view, but not its elements, which are in device memory.
pub struct Slice<'a, T, const D: usize = 1> {
    start: *mut T,
    shape: [usize; D],
    memory: &'a Memory,
    elements: PhantomData<&'a [T]>,
}

/// A unique view of a part of a buffer.
///
/// Pass it for a kernel parameter `&mut [T]`; with several dimensions `D`, for a `&mut Grid<T, D>`. In the host part of the kernel the parameter is a view like this one.
pub struct SliceMut<'a, T, const D: usize = 1> {
    start: *mut T,
    shape: [usize; D],
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

impl<'a, T, const D: usize> Slice<'a, T, D> {
    pub(crate) fn new(memory: &'a Memory, start: *mut T, shape: [usize; D]) -> Self {
        Self { start, shape, memory, elements: PhantomData }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns `true` if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of elements along each dimension.
    pub fn shape(&self) -> [usize; D] {
        self.shape
    }

    /// Splits the view at `mid` into two views: the elements before `mid`, and the rest; of a grid, the rows.
    ///
    /// # Panics
    /// Panics if `mid` is greater than the number of elements or rows.
    #[track_caller]
    pub fn split_at(&self, mid: usize) -> (Slice<'a, T, D>, Slice<'a, T, D>) {
        let (left, right) = split(self.start, self.shape, mid);
        (Slice::new(self.memory, left.0, left.1), Slice::new(self.memory, right.0, right.1))
    }

    /// The rows of a range.
    #[track_caller]
    pub(crate) fn part(self, range: impl RangeBounds<usize>) -> Slice<'a, T, D> {
        let (first, rows) = bounds(range, self.shape[0]);
        let (start, shape) = part(self.start, self.shape, first, rows);
        Slice::new(self.memory, start, shape)
    }

    /// First element on the device.
    pub(crate) fn as_ptr(&self) -> *const T {
        self.start
    }

    /// For generated code: what a launch does with this argument.
    #[doc(hidden)]
    pub fn usage(&self, name: &'static str) -> Use<'a> {
        used(name, self.memory, self.start, self.len(), AccessMode::Read)
    }
}

impl<'a, T, const D: usize> SliceMut<'a, T, D> {
    pub(crate) fn new(memory: &'a Memory, start: *mut T, shape: [usize; D]) -> Self {
        Self { start, shape, memory, elements: PhantomData }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns `true` if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of elements along each dimension.
    pub fn shape(&self) -> [usize; D] {
        self.shape
    }

    /// Splits the view at `mid` into two unique views: the elements before `mid`, and the rest; of a grid, the rows.
    ///
    /// # Panics
    /// Panics if `mid` is greater than the number of elements or rows.
    #[track_caller]
    pub fn split_at_mut(&mut self, mid: usize) -> (SliceMut<'_, T, D>, SliceMut<'_, T, D>) {
        let (left, right) = split(self.start, self.shape, mid);
        (SliceMut::new(self.memory, left.0, left.1), SliceMut::new(self.memory, right.0, right.1))
    }

    /// Splits the view at `mid` into two shared views: the elements before `mid`, and the rest; of a grid, the rows.
    ///
    /// # Panics
    /// Panics if `mid` is greater than the number of elements or rows.
    #[track_caller]
    pub fn split_at(&self, mid: usize) -> (Slice<'_, T, D>, Slice<'_, T, D>) {
        self.as_slice().split_at(mid)
    }

    /// Returns a shared view of the same elements.
    pub fn as_slice(&self) -> Slice<'_, T, D> {
        Slice::new(self.memory, self.start, self.shape)
    }

    /// The same elements as atomics, which may be shared.
    pub(crate) fn into_atomic<A: Atomic<Value = T>>(self) -> Slice<'a, A, D> {
        Slice::new(self.memory, self.start.cast(), self.shape)
    }

    /// Returns a unique view of the same elements with a shorter lifetime.
    pub fn reborrow(&mut self) -> SliceMut<'_, T, D> {
        SliceMut::new(self.memory, self.start, self.shape)
    }

    /// The rows of a range.
    #[track_caller]
    pub(crate) fn into_part(self, range: impl RangeBounds<usize>) -> SliceMut<'a, T, D> {
        let (first, rows) = bounds(range, self.shape[0]);
        let (start, shape) = part(self.start, self.shape, first, rows);
        SliceMut::new(self.memory, start, shape)
    }

    /// First element on the device.
    pub(crate) fn as_ptr(&self) -> *mut T {
        self.start
    }

    /// For generated code: what a launch does with this argument.
    #[doc(hidden)]
    pub fn usage(&self, name: &'static str) -> Use<'a> {
        used(name, self.memory, self.start, self.len(), AccessMode::Write)
    }
}

fn used<'a, T>(name: &'static str, memory: &'a Memory, start: *mut T, len: usize, access: AccessMode) -> Use<'a> {
    let offset = start as usize - memory.start() as usize;
    Use { name, memory, bytes: offset..offset + len * size_of::<T>(), access }
}

/// The start and the shape of a part.
type Part<T, const D: usize> = (*mut T, [usize; D]);

/// The two parts of a shape: its first `mid` rows, and the rest.
#[track_caller]
pub(crate) fn split<T, const D: usize>(start: *mut T, shape: [usize; D], mid: usize) -> (Part<T, D>, Part<T, D>) {
    let rows = shape[0];
    let what = if D == 1 { "elements" } else { "rows" };
    assert!(mid <= rows, "cannot split {rows} {what} at {mid}");
    (part(start, shape, 0, mid), part(start, shape, mid, rows - mid))
}

/// Some rows of a shape.
pub(crate) fn part<T, const D: usize>(start: *mut T, mut shape: [usize; D], first: usize, rows: usize) -> Part<T, D> {
    let row: usize = shape[1..].iter().product();
    shape[0] = rows;
    (start.wrapping_add(first * row), shape)
}

/// The start and the length of a range of `len` elements or rows.
#[track_caller]
pub(crate) fn bounds(range: impl RangeBounds<usize>, len: usize) -> (usize, usize) {
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&start) => start.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&end) => end.saturating_add(1),
        Bound::Excluded(&end) => end,
        Bound::Unbounded => len,
    };
    assert!(start <= end && end <= len, "range {start}..{end} is not inside a buffer of {len} elements");
    (start, end - start)
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
    label = "expected a `Buffer` with {D} dimensions, or rows of one",
    note = "a kernel parameter `&Grid<T, {D}>` takes `&buffer` or `&buffer.rows(a..b)`; make a buffer with `device.grid_from(&data, shape)?`"
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
    label = "expected a `Buffer` with {D} dimensions, or rows of one",
    note = "a kernel parameter `&mut Grid<T, {D}>` takes `&mut buffer` or `&mut buffer.rows_mut(a..b)`; make a buffer with `device.grid_from(&data, shape)?`"
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
        self.as_slice()
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
        self.as_slice()
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
