//! Pinned memory: host memory that streams copy from and to.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Range, RangeBounds};

use crate::backend::Pinned;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::order::hazard::Access;
use crate::slice::bounds;
use crate::value::scalar::Scalar;

/// Elements in host memory that a stream can copy from and to while the host goes on: page-locked for a GPU, ordinary memory for the
/// CPU device.
///
/// Made by [`Device::pinned`], and an argument of [`Buffer::copy_from_async`](crate::Buffer::copy_from_async) and
/// [`Buffer::copy_to_async`](crate::Buffer::copy_to_async). Unlike a `Vec` it gives its elements only on request, by
/// [`as_slice`](Self::as_slice) and [`as_mut_slice`](Self::as_mut_slice), which first wait for the copies that are under way, and for
/// nothing that their streams do later.
///
/// ```
/// use anabranch::prelude::*;
///
/// # fn main() -> anabranch::Result<()> {
/// let device = Device::auto()?;
/// let stream = device.default_stream();
/// let mut values = device.pinned::<f32>(1000)?;
/// let mut buffer = device.zeros::<f32>(1000)?;
///
/// values.as_mut_slice()?.fill(1.5);
/// buffer.copy_from_async(&stream, &values)?; // returns at once
/// buffer.slice_mut(..10).fill(&stream, 2.5)?;
/// buffer.copy_to_async(&stream, &mut values)?;
/// assert_eq!(values.as_slice()?[9..11], [2.5, 1.5]); // waits
/// # Ok(())
/// # }
/// ```
///
/// # Why this is safe
/// Host and device never use the same elements at the same time, unless both read:
///
/// - a reference to the elements cannot be held over a call that queues a copy to them, because that call borrows the pinned buffer
///   uniquely, nor a unique reference over one that queues a copy from them: such programs do not compile;
/// - a new reference is given out behind the copies that are under way: all of them for a unique one, those to the elements for a shared
///   one. Where they cannot be waited for, there is an error instead;
/// - copies on different streams are ordered among each other, as launches are;
/// - a pinned buffer that is dropped, or forgotten, leaves its memory alone as long as a copy uses it. Dropping never blocks: the next
///   call of [`Device::pinned`], or the end of the device, gives the memory back.
///
/// ```compile_fail,E0502
/// # use anabranch::prelude::*;
/// # fn main() -> anabranch::Result<()> {
/// # let device = Device::auto()?;
/// # let stream = device.default_stream();
/// # let mut values = device.pinned::<f32>(1000)?;
/// # let buffer = device.zeros::<f32>(1000)?;
/// let seen = values.as_slice()?;
/// buffer.copy_to_async(&stream, &mut values)?; // writes what `seen` refers to
/// println!("{}", seen[0]);
/// # Ok(())
/// # }
/// ```
/// ```compile_fail,E0502
/// # use anabranch::prelude::*;
/// # fn main() -> anabranch::Result<()> {
/// # let device = Device::auto()?;
/// # let stream = device.default_stream();
/// # let mut values = device.pinned::<f32>(1000)?;
/// # let mut buffer = device.zeros::<f32>(1000)?;
/// let changing = values.as_mut_slice()?;
/// buffer.copy_from_async(&stream, &values)?; // reads what `changing` refers to
/// changing[0] = 1.0;
/// # Ok(())
/// # }
/// ```
pub struct PinnedBuffer<T> {
    block: Pinned,
    len: usize,
    device: Device,
    elements: PhantomData<T>,
}

/// A part of a [`PinnedBuffer`], to read or to copy from.
pub struct PinnedSlice<'a, T> {
    block: &'a Pinned,
    start: usize,
    len: usize,
    elements: PhantomData<&'a [T]>,
}

/// A part of a [`PinnedBuffer`], to write or to copy to as well.
pub struct PinnedSliceMut<'a, T> {
    block: &'a Pinned,
    start: usize,
    len: usize,
    elements: PhantomData<&'a mut [T]>,
}

impl Device {
    /// `len` zeros in host memory that streams of this device copy from and to. Takes much longer than a `Vec`: make few and use them
    /// again.
    ///
    /// # Errors
    /// The host has no memory left that can be page-locked, or the device is lost.
    pub fn pinned<T: Scalar>(&self, len: usize) -> Result<PinnedBuffer<T>> {
        let bytes = len.checked_mul(size_of::<T>()).ok_or(Error::OutOfHostMemory { requested: usize::MAX })?;
        let block = self.backend().pinned(bytes)?;
        Ok(PinnedBuffer { block, len, device: self.clone(), elements: PhantomData })
    }
}

impl<T: Scalar> PinnedBuffer<T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device whose streams can copy from and to it.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The elements, to read. Blocks until queued copies to them are complete.
    ///
    /// # Errors
    /// [`Error::KernelPanic`] if device code has panicked since the last report; or the device is lost.
    pub fn as_slice(&self) -> Result<&[T]> {
        self.slice(..).as_slice()
    }

    /// The elements, to read and write. Blocks until queued copies from and to them are complete.
    ///
    /// # Errors
    /// As for [`as_slice`](Self::as_slice).
    pub fn as_mut_slice(&mut self) -> Result<&mut [T]> {
        let whole = self.slice_mut(..);
        // SAFETY: the view borrows `self` uniquely for as long as the result.
        unsafe { whole.elements_mut() }
    }

    /// A part, to read or to copy from.
    ///
    /// # Panics
    /// If the range is not inside the buffer, like indexing a slice.
    #[track_caller]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> PinnedSlice<'_, T> {
        let (start, len) = bounds(range, self.len);
        PinnedSlice { block: &self.block, start, len, elements: PhantomData }
    }

    /// A part, to write or to copy to as well.
    ///
    /// # Panics
    /// If the range is not inside the buffer, like indexing a slice.
    #[track_caller]
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> PinnedSliceMut<'_, T> {
        let (start, len) = bounds(range, self.len);
        PinnedSliceMut { block: &self.block, start, len, elements: PhantomData }
    }
}

impl<'a, T: Scalar> PinnedSlice<'a, T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements. Blocks until queued copies to them are complete, whatever is copied to the rest of the buffer.
    ///
    /// # Errors
    /// As for [`PinnedBuffer::as_slice`].
    pub fn as_slice(&self) -> Result<&'a [T]> {
        self.block.touch(&self.bytes(), Access::Read)?;
        // SAFETY: the block holds these scalars, which were initialized with zeros. No copy to them is under way, and none can be queued,
        // nor a unique reference made, while the borrow `'a` of the pinned buffer is shared.
        Ok(unsafe { std::slice::from_raw_parts(self.start(), self.len) })
    }

    pub(crate) fn block(&self) -> &'a Pinned {
        self.block
    }

    pub(crate) fn bytes(&self) -> Range<usize> {
        self.start * size_of::<T>()..(self.start + self.len) * size_of::<T>()
    }

    pub(crate) fn start(&self) -> *mut T {
        self.block.start().cast::<T>().wrapping_add(self.start)
    }
}

impl<'a, T: Scalar> PinnedSliceMut<'a, T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements, to read. Blocks until queued copies to them are complete, whatever is copied to the rest of the buffer.
    ///
    /// # Errors
    /// As for [`PinnedBuffer::as_slice`].
    pub fn as_slice(&self) -> Result<&[T]> {
        self.shared().as_slice()
    }

    /// The elements, to read and write. Blocks until queued copies from and to them are complete, whatever is copied from and to the
    /// rest of the buffer.
    ///
    /// # Errors
    /// As for [`PinnedBuffer::as_slice`].
    pub fn as_mut_slice(&mut self) -> Result<&mut [T]> {
        // SAFETY: `self` is borrowed uniquely for as long as the result.
        unsafe { self.elements_mut() }
    }

    /// # Safety
    /// Until the result is gone nobody uses this view, or another one of these elements.
    unsafe fn elements_mut<'b>(&self) -> Result<&'b mut [T]>
    where
        'a: 'b,
    {
        self.block.touch(&self.shared().bytes(), Access::Write)?;
        // SAFETY: the block holds these scalars, which were initialized with zeros. No copy uses them, and the caller promises that none
        // is queued, and that there is no other reference.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.shared().start(), self.len) })
    }

    pub(crate) fn shared(&self) -> PinnedSlice<'_, T> {
        PinnedSlice { block: self.block, start: self.start, len: self.len, elements: PhantomData }
    }
}

/// What is copied from: a [`PinnedBuffer`] or a part of one. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not pinned memory",
    label = "expected a `PinnedBuffer`, or a `PinnedSlice` of one",
    note = "a stream copies from and to pinned memory alone: make some with `device.pinned::<T>(len)?`; `copy_from` and `copy_to` take any slice, and block"
)]
pub trait PinnedArg: sealed::Sealed {
    /// The element type.
    type Elem: Scalar;
    #[doc(hidden)]
    fn part(&self) -> PinnedSlice<'_, Self::Elem>;
}

/// What is copied to: a [`PinnedBuffer`] or a part of one, uniquely. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not pinned memory that can be copied to",
    label = "expected a `PinnedBuffer`, or a `PinnedSliceMut` of one",
    note = "a stream copies from and to pinned memory alone: make some with `device.pinned::<T>(len)?`; `copy_from` and `copy_to` take any slice, and block"
)]
pub trait PinnedMutArg: PinnedArg {
    #[doc(hidden)]
    fn part_mut(&mut self) -> PinnedSliceMut<'_, Self::Elem>;
}

mod sealed {
    /// Promises that the part is borrowed from a pinned buffer, uniquely by `part_mut`.
    pub trait Sealed {}
}

impl<T: Scalar> sealed::Sealed for PinnedBuffer<T> {}
impl<T: Scalar> sealed::Sealed for PinnedSlice<'_, T> {}
impl<T: Scalar> sealed::Sealed for PinnedSliceMut<'_, T> {}

impl<T: Scalar> PinnedArg for PinnedBuffer<T> {
    type Elem = T;
    fn part(&self) -> PinnedSlice<'_, T> {
        self.slice(..)
    }
}
impl<T: Scalar> PinnedArg for PinnedSlice<'_, T> {
    type Elem = T;
    fn part(&self) -> PinnedSlice<'_, T> {
        *self
    }
}
impl<T: Scalar> PinnedArg for PinnedSliceMut<'_, T> {
    type Elem = T;
    fn part(&self) -> PinnedSlice<'_, T> {
        self.shared()
    }
}
impl<T: Scalar> PinnedMutArg for PinnedBuffer<T> {
    fn part_mut(&mut self) -> PinnedSliceMut<'_, T> {
        self.slice_mut(..)
    }
}
impl<T: Scalar> PinnedMutArg for PinnedSliceMut<'_, T> {
    fn part_mut(&mut self) -> PinnedSliceMut<'_, T> {
        PinnedSliceMut { block: self.block, start: self.start, len: self.len, elements: PhantomData }
    }
}

impl<T> Clone for PinnedSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for PinnedSlice<'_, T> {}

impl<T> fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedBuffer<{}>({} for {})", std::any::type_name::<T>(), self.len, self.device)
    }
}

impl<T> fmt::Debug for PinnedSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedSlice({} elements from {} on)", self.len, self.start)
    }
}

impl<T> fmt::Debug for PinnedSliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedSliceMut({} elements from {} on)", self.len, self.start)
    }
}
