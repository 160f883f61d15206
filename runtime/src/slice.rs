//! Parts of buffers, and the traits of launch arguments.

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
/// Pass it for a kernel parameter `&[T]`. In the host part of the kernel the parameter is a view like this one. The host can get
/// the length of a view, but not its elements, which are in device memory.
pub struct Slice<'a, T> {
    start: *mut T,
    len: usize,
    memory: &'a Memory,
    elements: PhantomData<&'a [T]>,
}

/// A unique view of a part of a buffer.
///
/// Pass it for a kernel parameter `&mut [T]`. In the host part of the kernel the parameter is a view like this one.
pub struct SliceMut<'a, T> {
    start: *mut T,
    len: usize,
    memory: &'a Memory,
    elements: PhantomData<&'a mut [T]>,
}

// SAFETY: a view is a borrow of device memory; the streams order what is done with it.
unsafe impl<T: DeviceCopy> Send for Slice<'_, T> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy> Sync for Slice<'_, T> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy> Send for SliceMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy> Sync for SliceMut<'_, T> {}

impl<T> Clone for Slice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Slice<'_, T> {}

impl<'a, T> Slice<'a, T> {
    pub(crate) fn new(memory: &'a Memory, start: *mut T, len: usize) -> Self {
        Self { start, len, memory, elements: PhantomData }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Splits the view at `mid` into two views: the elements before `mid`, and the rest.
    ///
    /// # Panics
    /// Panics if `mid > len`.
    #[track_caller]
    pub fn split_at(&self, mid: usize) -> (Slice<'a, T>, Slice<'a, T>) {
        check_split(mid, self.len);
        let right = self.start.wrapping_add(mid);
        (Slice::new(self.memory, self.start, mid), Slice::new(self.memory, right, self.len - mid))
    }

    /// First element on the device.
    pub(crate) fn as_ptr(&self) -> *const T {
        self.start
    }

    /// For generated code: what a launch does with this argument.
    #[doc(hidden)]
    pub fn usage(&self, name: &'static str) -> Use<'a> {
        used(name, self.memory, self.start, self.len, AccessMode::Read)
    }
}

impl<'a, T> SliceMut<'a, T> {
    pub(crate) fn new(memory: &'a Memory, start: *mut T, len: usize) -> Self {
        Self { start, len, memory, elements: PhantomData }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Splits the view at `mid` into two unique views: the elements before `mid`, and the rest.
    ///
    /// # Panics
    /// Panics if `mid > len`.
    #[track_caller]
    pub fn split_at_mut(&mut self, mid: usize) -> (SliceMut<'_, T>, SliceMut<'_, T>) {
        check_split(mid, self.len);
        let right = self.start.wrapping_add(mid);
        (SliceMut::new(self.memory, self.start, mid), SliceMut::new(self.memory, right, self.len - mid))
    }

    /// Splits the view at `mid` into two shared views: the elements before `mid`, and the rest.
    ///
    /// # Panics
    /// Panics if `mid > len`.
    #[track_caller]
    pub fn split_at(&self, mid: usize) -> (Slice<'_, T>, Slice<'_, T>) {
        self.as_slice().split_at(mid)
    }

    /// Returns a shared view of the same elements.
    pub fn as_slice(&self) -> Slice<'_, T> {
        Slice::new(self.memory, self.start, self.len)
    }

    /// The same elements as atomics, which may be shared.
    pub(crate) fn into_atomic<A: Atomic<Value = T>>(self) -> Slice<'a, A> {
        Slice::new(self.memory, self.start.cast(), self.len)
    }

    /// Returns a unique view of the same elements with a shorter lifetime.
    pub fn reborrow(&mut self) -> SliceMut<'_, T> {
        SliceMut::new(self.memory, self.start, self.len)
    }

    /// First element on the device.
    pub(crate) fn as_ptr(&self) -> *mut T {
        self.start
    }

    /// For generated code: what a launch does with this argument.
    #[doc(hidden)]
    pub fn usage(&self, name: &'static str) -> Use<'a> {
        used(name, self.memory, self.start, self.len, AccessMode::Write)
    }
}

fn used<'a, T>(name: &'static str, memory: &'a Memory, start: *mut T, len: usize, access: AccessMode) -> Use<'a> {
    let offset = start as usize - memory.start() as usize;
    Use { name, memory, bytes: offset..offset + len * size_of::<T>(), access }
}

#[track_caller]
fn check_split(mid: usize, len: usize) {
    assert!(mid <= len, "cannot split {len} elements at {mid}");
}

/// The start and the length of a range of `len` elements.
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

impl<T> fmt::Debug for Slice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slice({} elements at {:p})", self.len, self.start)
    }
}

impl<T> fmt::Debug for SliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SliceMut({} elements at {:p})", self.len, self.start)
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
        )*
        $(
            // SAFETY: as above; it is borrowed uniquely.
            unsafe impl<S: SliceMutArg + ?Sized> SliceMutArg for $writer {
                type Elem = S::Elem;
                fn view_mut(&mut self) -> SliceMut<'_, S::Elem> { (**self).view_mut() }
            }
        )*
    };
}
wrappers! {
    read: &S, &mut S, Box<S>, Arc<S>, MutexGuard<'_, S>, RwLockReadGuard<'_, S>, RwLockWriteGuard<'_, S>;
    write: &mut S, Box<S>, MutexGuard<'_, S>, RwLockWriteGuard<'_, S>
}
