//! Buffers of raw pointers.

use std::any::{Any, type_name};
use std::ptr::NonNull;

use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{Error, ForeignError, Refused, Result};
use crate::layout::bytes_of;
use crate::owner::{Origin, Owner};
use crate::value::{DeviceCopy, same_layout};

impl<T: DeviceCopy> Buffer<T> {
    /// Creates a buffer of `len` elements that are already in memory of the device, without a copy.
    ///
    /// The buffer keeps `owner` and drops it after the last use of the memory: after work that is
    /// queued on streams, and after all graphs that use the buffer are gone. What is dropped last,
    /// the buffer or a graph, drops the owner on its thread. On a GPU that destructor first blocks
    /// until the work is complete. A panic of the owner's destructor is caught. If the owner holds
    /// a handle of the device, that device stays open as long as the buffer exists.
    ///
    /// ```
    /// # use anabranch::prelude::*;
    /// #[kernel]
    /// fn double(x: &mut [f32]) {
    ///     for i in par(0..x.len()) { x[i] *= 2.0; }
    /// }
    ///
    /// # fn main() -> anabranch::Result<()> {
    /// let device = Device::cpu();
    /// let mut values = vec![1.0f32, 2.0, 3.0];
    /// let (start, len) = (values.as_mut_ptr(), values.len());
    /// // SAFETY: the elements belong to `values`, which the buffer keeps and nobody else uses.
    /// let mut x = unsafe { Buffer::from_raw(&device, start, len, values)? };
    /// assert_eq!(x.as_ptr(), start);
    /// double(&device.default_stream(), &mut x)?;
    /// assert_eq!(x.to_vec()?, [2.0, 4.0, 6.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Foreign`] if the pointer is null although there are elements, if it is not aligned
    /// for `T`, if the elements have more bytes than an address can count, or if, on a GPU, it does
    /// not point to memory of this device; or the driver fails. The error gives `owner` back.
    ///
    /// # Safety
    /// - `len` elements of `T` are at `ptr`: on the CPU device in host memory, on a GPU in device
    ///   memory. They are valid values, or nothing reads them before they are written.
    /// - They stay allocated until `owner` is dropped.
    /// - Until then nobody else writes them, and nobody else reads them while work writes them
    ///   through the buffer.
    /// - What others have queued for them is complete.
    pub unsafe fn from_raw<O: Any + Send>(
        device: &Device,
        ptr: *mut T,
        len: usize,
        owner: O,
    ) -> Result<Self, Refused<O>> {
        // SAFETY: the caller's promise.
        unsafe { Self::from_raw_grid(device, ptr, [len], owner) }
    }
}

impl<T: DeviceCopy, const D: usize> Buffer<T, D> {
    /// [`from_raw`](Buffer::from_raw) for elements of this shape, in row-major order.
    ///
    /// # Errors
    /// As for [`from_raw`](Buffer::from_raw).
    ///
    /// # Safety
    /// As for [`from_raw`](Buffer::from_raw); the number of elements is the product of `shape`.
    pub unsafe fn from_raw_grid<O: Any + Send>(
        device: &Device,
        ptr: *mut T,
        shape: [usize; D],
        owner: O,
    ) -> Result<Self, Refused<O>> {
        match check(device, "from_raw", ptr, shape) {
            // SAFETY: the caller's promise; the pointer has been checked.
            Ok((start, bytes)) => Ok(unsafe { adopt(device, start, bytes, shape, Owner::keeper(owner)) }),
            Err(error) => Err(Refused::new(error, owner)),
        }
    }
}

/// A buffer of checked foreign memory.
///
/// # Safety
/// As for [`Buffer::from_raw`].
pub(super) unsafe fn adopt<T: DeviceCopy, const D: usize>(
    device: &Device,
    start: NonNull<u8>,
    bytes: usize,
    shape: [usize; D],
    owner: Owner,
) -> Buffer<T, D> {
    // SAFETY: the caller's promise.
    let memory = unsafe { device.backend().foreign(start, bytes, align_of::<T>(), Origin::Adopted(owner)) };
    Buffer::of_memory(device, memory, shape)
}

/// Checks foreign memory of a buffer of this shape. Returns its address, which is any if there are
/// no bytes, and the number of bytes.
pub(super) fn check<T: DeviceCopy, const D: usize>(
    device: &Device,
    call: &'static str,
    ptr: *mut T,
    shape: [usize; D],
) -> Result<(NonNull<u8>, usize)> {
    const { same_layout::<T>() }
    let refuse = |reason| {
        let shape = if let [len] = shape[..] { len.to_string() } else { format!("shape {shape:?} of") };
        Error::foreign(call, format!("a buffer of {shape} `{}`", type_name::<T>()), reason)
    };
    let bytes = bytes_of::<T, D>(shape).ok_or_else(|| refuse(ForeignError::TooLong))?;
    let (address, align) = (ptr.addr(), align_of::<T>());
    if bytes == 0 {
        return Ok((NonNull::<T>::dangling().cast(), 0));
    }
    let start = NonNull::new(ptr.cast::<u8>()).ok_or_else(|| refuse(ForeignError::Null))?;
    if !address.is_multiple_of(align) {
        return Err(refuse(ForeignError::Misaligned { address, align, element: type_name::<T>() }));
    }
    if address.checked_add(bytes).is_none() {
        return Err(refuse(ForeignError::TooLong));
    }
    if let Some(found) = device.backend().device_of(address)? {
        return Err(refuse(ForeignError::NotOfDevice { address, found, expected: device.to_string() }));
    }
    Ok((start, bytes))
}
