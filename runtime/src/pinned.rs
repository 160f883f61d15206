//! Pinned memory: host memory that streams copy from and to.

#![allow(unsafe_code, reason = "references to memory that streams copy")]

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Range, RangeBounds};

use crate::backend::Pinned;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::layout::{Caller, indexes};
use crate::order::hazard::AccessMode;
use crate::value::{DeviceCopy, Zeroed, same_layout};

/// A buffer in host memory that streams can copy from and to while the host continues.
///
/// The memory is page-locked for a GPU, and ordinary memory for the CPU device. [`Device::pinned`]
/// creates a pinned buffer; [`Buffer::copy_from_async`](crate::Buffer::copy_from_async) and
/// [`Buffer::copy_to_async`](crate::Buffer::copy_to_async) take it as an argument. Unlike a `Vec`,
/// it does not dereference to a slice. Call [`as_slice`](Self::as_slice) or
/// [`as_mut_slice`](Self::as_mut_slice), which first wait for the copies in progress, but not for
/// later work on their streams.
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
/// buffer.slice_mut(..10).fill_async(&stream, 2.5)?;
/// buffer.copy_to_async(&stream, &mut values)?;
/// assert_eq!(values.as_slice()?[9..11], [2.5, 1.5]); // waits
/// # Ok(())
/// # }
/// ```
///
/// # Why this is safe
/// Host and device never use the same elements at the same time, unless both only read:
///
/// - A program that holds a reference to the elements while it queues a copy to them does not
///   compile, because that call borrows the pinned buffer uniquely. The same is true of a unique
///   reference and a copy from the elements.
/// - A new reference becomes available only after the copies in progress: after all of them for a
///   unique reference, after the copies to the elements for a shared one. If the runtime cannot
///   wait for them, it returns an error instead.
/// - Copies on different streams are ordered with each other, like launches.
/// - If a pinned buffer is dropped or forgotten, its memory remains allocated as long as a copy
///   uses it. Dropping never blocks: the next call of [`Device::pinned`], or the end of the device,
///   frees the memory.
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
#[doc(alias("page-locked memory", "cudaFreeHost"))]
pub struct PinnedBuffer<T> {
    block: Pinned,
    len: usize,
    device: Device,
    elements: PhantomData<T>,
}

/// A part of a [`PinnedBuffer`] that can be read and copied from.
pub struct PinnedSlice<'a, T> {
    block: &'a Pinned,
    start: usize,
    len: usize,
    elements: PhantomData<&'a [T]>,
}

/// A part of a [`PinnedBuffer`] that can be read, written, and copied from and to.
pub struct PinnedSliceMut<'a, T> {
    block: &'a Pinned,
    start: usize,
    len: usize,
    elements: PhantomData<&'a mut [T]>,
}

impl Device {
    /// Creates a pinned buffer of `len` zeros that streams of this device can copy from and to.
    ///
    /// This takes much longer than the allocation of a `Vec`, so create few pinned buffers and
    /// reuse them.
    ///
    /// # Errors
    /// The host has no memory left that can be page-locked, or the device is lost.
    #[doc(alias("cudaMallocHost", "cudaHostAlloc", "cuMemHostAlloc"))]
    pub fn pinned<T: Zeroed>(&self, len: usize) -> Result<PinnedBuffer<T>> {
        const { same_layout::<T>() }
        let bytes =
            len.checked_mul(size_of::<T>()).ok_or(Error::OutOfHostMemory { requested: usize::MAX, operation: None });
        let block = bytes
            .and_then(|bytes| self.backend().pinned(bytes))
            .map_err(|error| error.in_operation("pinned", || format!("{len} `{}`", std::any::type_name::<T>())))?;
        Ok(PinnedBuffer { block, len, device: self.clone(), elements: PhantomData })
    }
}

impl<T: DeviceCopy> PinnedBuffer<T> {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the device whose streams can copy from and to the buffer.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the elements for reading. Blocks until queued copies to them are complete.
    ///
    /// # Errors
    /// [`Error::KernelPanic`] if device code has panicked since the last report; or the device is
    /// lost.
    pub fn as_slice(&self) -> Result<&[T]> {
        self.slice(..).as_slice()
    }

    /// Returns the elements for reading and writing. Blocks until queued copies from and to them
    /// are complete.
    ///
    /// # Errors
    /// As for [`as_slice`](Self::as_slice).
    pub fn as_mut_slice(&mut self) -> Result<&mut [T]> {
        let whole = self.slice_mut(..);
        // SAFETY: the view borrows `self` uniquely for as long as the result.
        unsafe { whole.elements_mut() }
    }

    /// Borrows a part that can be read and copied from.
    ///
    /// # Panics
    /// Panics if the range is out of bounds.
    #[track_caller]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> PinnedSlice<'_, T> {
        let (start, len) = indexes(range, self.len, None, Caller::new::<T>("slice"));
        PinnedSlice { block: &self.block, start, len, elements: PhantomData }
    }

    /// Borrows a part that can be read, written, and copied from and to.
    ///
    /// # Panics
    /// Panics if the range is out of bounds.
    #[track_caller]
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> PinnedSliceMut<'_, T> {
        let (start, len) = indexes(range, self.len, None, Caller::new::<T>("slice_mut"));
        PinnedSliceMut { block: &self.block, start, len, elements: PhantomData }
    }
}

impl<'a, T: DeviceCopy> PinnedSlice<'a, T> {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the elements. Blocks until queued copies to them are complete, but not for copies to
    /// the rest of the buffer.
    ///
    /// # Errors
    /// As for [`PinnedBuffer::as_slice`].
    pub fn as_slice(&self) -> Result<&'a [T]> {
        self.block.touch(&self.bytes(), AccessMode::Read)?;
        // SAFETY: the block holds these elements, which were initialized with zeros; they are valid
        // (`Zeroed`). No copy to them is in progress. As long as the borrow `'a` of the pinned
        // buffer is shared, no such copy can be queued, and no unique reference can be created.
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

impl<'a, T: DeviceCopy> PinnedSliceMut<'a, T> {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the elements for reading. Blocks until queued copies to them are complete, but not
    /// for copies to the rest of the buffer.
    ///
    /// # Errors
    /// As for [`PinnedBuffer::as_slice`].
    pub fn as_slice(&self) -> Result<&[T]> {
        self.shared().as_slice()
    }

    /// Returns the elements for reading and writing. Blocks until queued copies from and to them
    /// are complete, but not for copies from and to the rest of the buffer.
    ///
    /// # Errors
    /// As for [`PinnedBuffer::as_slice`].
    pub fn as_mut_slice(&mut self) -> Result<&mut [T]> {
        // SAFETY: `self` is borrowed uniquely for as long as the result.
        unsafe { self.elements_mut() }
    }

    /// # Safety
    /// As long as the result exists, neither this view nor another view of these elements is used.
    unsafe fn elements_mut<'b>(&self) -> Result<&'b mut [T]>
    where
        'a: 'b,
    {
        self.block.touch(&self.shared().bytes(), AccessMode::Write)?;
        // SAFETY: the block holds these elements, which were initialized with zeros; they are valid
        // (`Zeroed`). No copy uses them. The caller promises that no copy is queued and that no
        // other reference exists.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.shared().start(), self.len) })
    }

    pub(crate) fn shared(&self) -> PinnedSlice<'_, T> {
        PinnedSlice { block: self.block, start: self.start, len: self.len, elements: PhantomData }
    }
}

/// The source of a copy: a [`PinnedBuffer`] or a part of one. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not pinned memory",
    label = "expected a `PinnedBuffer`, or a `PinnedSlice` of one",
    note = "a stream copies only from and to pinned memory; create it with `device.pinned::<T>(len)?`. `copy_from` and `copy_to` take any slice, but block"
)]
pub trait PinnedArg: sealed::Sealed {
    /// The element type.
    type Elem: DeviceCopy;
    #[doc(hidden)]
    fn part(&self) -> PinnedSlice<'_, Self::Elem>;
}

/// The destination of a copy: a [`PinnedBuffer`] or a part of one, borrowed uniquely. The trait is
/// sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not pinned memory that can be copied to",
    label = "expected a `PinnedBuffer`, or a `PinnedSliceMut` of one",
    note = "a stream copies only from and to pinned memory; create it with `device.pinned::<T>(len)?`. `copy_from` and `copy_to` take any slice, but block"
)]
pub trait PinnedMutArg: PinnedArg {
    #[doc(hidden)]
    fn part_mut(&mut self) -> PinnedSliceMut<'_, Self::Elem>;
}

mod sealed {
    /// Implementors promise that `part` borrows from a pinned buffer, and that `part_mut` borrows
    /// from it uniquely.
    pub trait Sealed {}
}

impl<T: DeviceCopy> sealed::Sealed for PinnedBuffer<T> {}
impl<T: DeviceCopy> sealed::Sealed for PinnedSlice<'_, T> {}
impl<T: DeviceCopy> sealed::Sealed for PinnedSliceMut<'_, T> {}

impl<T: DeviceCopy> PinnedArg for PinnedBuffer<T> {
    type Elem = T;
    fn part(&self) -> PinnedSlice<'_, T> {
        self.slice(..)
    }
}
impl<T: DeviceCopy> PinnedArg for PinnedSlice<'_, T> {
    type Elem = T;
    fn part(&self) -> PinnedSlice<'_, T> {
        *self
    }
}
impl<T: DeviceCopy> PinnedArg for PinnedSliceMut<'_, T> {
    type Elem = T;
    fn part(&self) -> PinnedSlice<'_, T> {
        self.shared()
    }
}
impl<T: DeviceCopy> PinnedMutArg for PinnedBuffer<T> {
    fn part_mut(&mut self) -> PinnedSliceMut<'_, T> {
        self.slice_mut(..)
    }
}
impl<T: DeviceCopy> PinnedMutArg for PinnedSliceMut<'_, T> {
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
