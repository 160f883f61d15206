//! Device memory.

use std::fmt;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::RangeBounds;

use crate::backend::Memory;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::slice::{GridArg, GridMutArg, Slice, SliceArg, SliceMut, SliceMutArg, bounds, part};
use crate::value::scalar::{as_bytes, as_bytes_mut};
use crate::value::{DeviceCopy, Zeroed};

/// A buffer in device memory.
///
/// Like a `Vec`, a buffer owns its elements, and Rust's borrowing rules govern access to them: pass `&Buffer` for a kernel
/// parameter `&[T]`, and `&mut Buffer` for `&mut [T]`. A launch returns before the device has finished. Later uses of the buffer,
/// on any stream or from the host, are ordered after that launch. A buffer may be dropped while the device still uses it.
///
/// `D` is the number of dimensions of the [`shape`](Self::shape). [`Device::grid_from`] and [`Device::grid_zeros`] create buffers
/// of several dimensions, which hold their elements in row-major order: the last index varies fastest. A kernel gets them as a
/// [`&Grid<T, D>`](crate::Grid), or all elements as one `&[T]`.
pub struct Buffer<T, const D: usize = 1> {
    memory: Memory,
    shape: [usize; D],
    device: Device,
    elements: PhantomData<T>,
}

impl Device {
    /// Creates a buffer with a copy of `values`.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn buffer_from<T: DeviceCopy>(&self, values: &[T]) -> Result<Buffer<T>> {
        self.grid_from(values, [values.len()])
    }

    /// Creates a buffer of `len` zeros (`false` for `bool`). In a struct, every field is zero.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn zeros<T: Zeroed>(&self, len: usize) -> Result<Buffer<T>> {
        self.grid_zeros([len])
    }

    /// Creates a buffer of `len` copies of `value`.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn filled<T: DeviceCopy>(&self, len: usize, value: T) -> Result<Buffer<T>> {
        self.grid_filled([len], value)
    }

    /// Creates a buffer of this shape with a copy of `values`, which are in row-major order.
    ///
    /// ```
    /// # use anabranch::prelude::*;
    /// #[kernel]
    /// fn transpose(from: &[f32], to: &mut [f32], rows: usize, cols: usize) {
    ///     for (row, col) in par((0..rows, 0..cols)) { to[col * rows + row] = from[row * cols + col]; }
    /// }
    ///
    /// # fn main() -> anabranch::Result<()> {
    /// let device = Device::auto()?;
    /// let from = device.grid_from(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
    /// let [rows, cols] = from.shape();
    /// let mut to = device.grid_zeros([cols, rows])?;
    /// transpose(&device.default_stream(), &from, &mut to, rows, cols)?;
    /// assert_eq!(to.to_vec()?, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The number of `values` is not the product of `shape`, the device has no memory left, or it is lost.
    pub fn grid_from<T: DeviceCopy, const D: usize>(&self, values: &[T], shape: [usize; D]) -> Result<Buffer<T, D>> {
        let mut buffer = Buffer::allocate(self, shape)?;
        buffer.copy_from(values)?;
        Ok(buffer)
    }

    /// Creates a buffer of this shape, filled with zeros (`false` for `bool`).
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn grid_zeros<T: Zeroed, const D: usize>(&self, shape: [usize; D]) -> Result<Buffer<T, D>> {
        let buffer = Buffer::allocate(self, shape)?;
        buffer.memory.clear()?;
        Ok(buffer)
    }

    /// Creates a buffer of this shape, filled with copies of `value`.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn grid_filled<T: DeviceCopy, const D: usize>(&self, shape: [usize; D], value: T) -> Result<Buffer<T, D>> {
        let buffer = Buffer::allocate(self, shape)?;
        buffer.memory.fill(value, buffer.len())?;
        Ok(buffer)
    }
}

impl<T: DeviceCopy, const D: usize> Buffer<T, D> {
    /// The memory is zeroed on the CPU and uninitialized on a GPU.
    fn allocate(device: &Device, shape: [usize; D]) -> Result<Self> {
        const { T::SAME_LAYOUT }
        const { assert!(D > 0, "a buffer has at least one dimension") }
        // Also where an extent is 0: no index in bounds overflows.
        let most = shape.iter().try_fold(size_of::<T>().max(1), |most, &len| most.checked_mul(len.max(1)));
        let most = most.filter(|most| isize::try_from(*most).is_ok());
        most.ok_or(Error::OutOfHostMemory { requested: usize::MAX })?;
        let bytes = shape.iter().product::<usize>() * size_of::<T>();
        let memory = device.backend().allocate(bytes)?;
        Ok(Self { memory, shape, device: device.clone(), elements: PhantomData })
    }

    /// Borrows a part of the buffer for reading.
    ///
    /// # Panics
    /// Panics if the range is out of bounds.
    #[track_caller]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Slice<'_, T> {
        let (start, len) = bounds(range, self.len());
        Slice::new(&self.memory, self.start().wrapping_add(start), [len])
    }

    /// Borrows a part of the buffer for writing.
    ///
    /// # Panics
    /// Panics if the range is out of bounds.
    #[track_caller]
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> SliceMut<'_, T> {
        let (start, len) = bounds(range, self.len());
        let start = self.start().wrapping_add(start);
        SliceMut::new(&self.memory, start, [len])
    }

    /// Borrows some rows for reading: indexes of the first dimension, the slowest one. The part has the number of dimensions of the buffer.
    ///
    /// # Panics
    /// Panics if the range is out of bounds.
    #[track_caller]
    pub fn rows(&self, range: impl RangeBounds<usize>) -> Slice<'_, T, D> {
        let (first, rows) = bounds(range, self.shape[0]);
        let (start, shape) = part(self.start(), self.shape, first, rows);
        Slice::new(&self.memory, start, shape)
    }

    /// Borrows some rows for writing. See [`rows`](Self::rows).
    ///
    /// # Panics
    /// Panics if the range is out of bounds.
    #[track_caller]
    pub fn rows_mut(&mut self, range: impl RangeBounds<usize>) -> SliceMut<'_, T, D> {
        let (first, rows) = bounds(range, self.shape[0]);
        let (start, shape) = part(self.start(), self.shape, first, rows);
        SliceMut::new(&self.memory, start, shape)
    }

    /// Splits the buffer at `mid` into two parts that can be written at the same time: the elements before `mid`, and the rest.
    ///
    /// # Panics
    /// Panics if `mid > len`.
    #[track_caller]
    pub fn split_at_mut(&mut self, mid: usize) -> (SliceMut<'_, T>, SliceMut<'_, T>) {
        let len = self.len();
        assert!(mid <= len, "cannot split {len} elements at {mid}");
        let start = self.start();
        let right = start.wrapping_add(mid);
        (SliceMut::new(&self.memory, start, [mid]), SliceMut::new(&self.memory, right, [len - mid]))
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns `true` if the buffer has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of elements along each dimension; the last index varies fastest.
    pub fn shape(&self) -> [usize; D] {
        self.shape
    }

    /// Returns the device that holds the buffer.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the address of the first element: in host memory on the CPU, in device memory on a GPU. It is valid as long as the
    /// buffer exists. The runtime does not order accesses through this pointer.
    pub fn as_ptr(&self) -> *const T {
        self.start()
    }

    /// Returns the address of the first element, for writing. See [`as_ptr`](Self::as_ptr).
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.start()
    }

    fn start(&self) -> *mut T {
        self.memory.start().cast()
    }

    /// Copies the elements to the host, after all launches that write them. Blocks, unless the buffer is empty.
    ///
    /// # Errors
    /// [`Error::KernelPanic`] if device code has panicked since the last report; or the device is lost.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut values = Vec::with_capacity(self.len());
        self.read(&mut values.spare_capacity_mut()[..self.len()])?;
        // SAFETY: `read` has written all of these elements.
        unsafe { values.set_len(self.len()) };
        Ok(values)
    }

    /// Copies the elements into `values`, after all launches that write them. Blocks.
    ///
    /// # Errors
    /// The lengths differ, or an error of [`to_vec`](Self::to_vec).
    pub fn copy_to(&self, values: &mut [T]) -> Result<()> {
        self.check_len(values.len())?;
        // SAFETY: a `MaybeUninit` has the layout of its value, and `read` only writes values of the type.
        self.read(unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), values.len()) })
    }

    /// Writes all elements into `values`, which has the buffer's length. The elements of a buffer are always valid values: it starts with
    /// the user's, and device code only writes valid ones.
    fn read(&self, values: &mut [MaybeUninit<T>]) -> Result<()> {
        let _guard = self.memory.share()?;
        // SAFETY: `&self` excludes writers, and the guard excludes graphs.
        unsafe { self.memory.read(as_bytes_mut(values)) }
    }

    /// Copies `values` into the buffer, after all launches that use it. Blocks.
    ///
    /// # Errors
    /// The lengths differ, or the device is lost.
    pub fn copy_from(&mut self, values: &[T]) -> Result<()> {
        self.check_len(values.len())?;
        let _guard = self.memory.share()?;
        // SAFETY: `&mut self` excludes all other uses, and the guard excludes graphs.
        unsafe { self.memory.write(as_bytes(values)) }
    }

    /// All elements in one dimension.
    pub(crate) fn all(&self) -> Slice<'_, T> {
        Slice::new(&self.memory, self.start(), [self.len()])
    }

    /// All elements in one dimension, for writing.
    pub(crate) fn all_mut(&mut self) -> SliceMut<'_, T> {
        let (start, len) = (self.start(), self.len());
        SliceMut::new(&self.memory, start, [len])
    }

    /// Creates a buffer with a copy of the elements, after all launches that write them. Blocks.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn try_clone(&self) -> Result<Self> {
        let clone = Self::allocate(&self.device, self.shape)?;
        let _guard = self.memory.share()?;
        // SAFETY: both blocks hold as many elements; `&self` excludes writers, and the guard excludes graphs.
        unsafe { clone.memory.clone_from(&self.memory, self.len() * size_of::<T>())? };
        Ok(clone)
    }

    fn check_len(&self, host: usize) -> Result<()> {
        let buffer = self.len();
        if buffer == host { Ok(()) } else { Err(Error::LengthMismatch { buffer, host }) }
    }
}

// SAFETY: the view borrows the buffer.
unsafe impl<T: DeviceCopy, const D: usize> SliceArg for Buffer<T, D> {
    type Elem = T;
    fn view(&self) -> Slice<'_, T> {
        self.all()
    }
}

// SAFETY: the view borrows the buffer uniquely.
unsafe impl<T: DeviceCopy, const D: usize> SliceMutArg for Buffer<T, D> {
    type Elem = T;
    fn view_mut(&mut self) -> SliceMut<'_, T> {
        self.all_mut()
    }
}

// SAFETY: the view borrows the buffer.
unsafe impl<T: DeviceCopy, const D: usize> GridArg<D> for Buffer<T, D> {
    type Elem = T;
    fn grid(&self) -> Slice<'_, T, D> {
        Slice::new(&self.memory, self.start(), self.shape)
    }
}

// SAFETY: the view borrows the buffer uniquely.
unsafe impl<T: DeviceCopy, const D: usize> GridMutArg<D> for Buffer<T, D> {
    type Elem = T;
    fn grid_mut(&mut self) -> SliceMut<'_, T, D> {
        SliceMut::new(&self.memory, self.start(), self.shape)
    }
}

impl<T: DeviceCopy, const D: usize> fmt::Debug for Buffer<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = std::any::type_name::<T>();
        write!(f, "Buffer<{name}>({:?} on {})", self.shape, self.device)
    }
}
